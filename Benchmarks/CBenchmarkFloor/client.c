#define _GNU_SOURCE
#include "include/CBenchmarkFloor.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 192 * 1024 };

struct floor_client {
    int fd;
    SSL *ssl;
    size_t used;
    unsigned char *buffer;
};

static SSL_CTX *client_context(void) {
    static SSL_CTX *context;
    if (!context) {
        context = SSL_CTX_new(TLS_client_method());
        // What is measured is the server: whom the client trusts does not matter here.
        SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
        SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    }
    return context;
}

floor_client *floor_client_open(const char *address, int port, int tls) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || inet_pton(AF_INET, address, &to.sin_addr) != 1 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
        perror("connect");
        if (fd >= 0) close(fd);
        return NULL;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    floor_client *client = calloc(1, sizeof *client);
    client->fd = fd;
    if (tls) {
        client->ssl = SSL_new(client_context());
        SSL_set_fd(client->ssl, fd);
        if (SSL_connect(client->ssl) != 1) {
            ERR_print_errors_fp(stderr);
            floor_client_close(client);
            return NULL;
        }
    }
    return client;
}

int floor_client_descriptor(const floor_client *client) { return client->fd; }

void floor_client_close(floor_client *client) {
    if (!client) return;
    if (client->ssl) {
        SSL_shutdown(client->ssl);
        SSL_free(client->ssl);
    }
    close(client->fd);
    free(client->buffer);
    free(client);
}

static int write_all(floor_client *client, const void *bytes, size_t length) {
    if (client->ssl) return SSL_write(client->ssl, bytes, (int)length) == (int)length ? 0 : -1;
    return send(client->fd, bytes, length, MSG_NOSIGNAL) == (ssize_t)length ? 0 : -1;
}

static ssize_t read_some(floor_client *client) {
    if (!client->buffer) client->buffer = malloc(BUFFER);
    size_t room = BUFFER - client->used;
    if (room == 0) return -1;
    ssize_t count = client->ssl ? SSL_read(client->ssl, client->buffer + client->used, (int)room)
                                : recv(client->fd, client->buffer + client->used, room, 0);
    if (count > 0) client->used += (size_t)count;
    return count;
}

int floor_client_send(floor_client *client, const char *text, size_t length) {
    unsigned char frame[1024] = {0x81};
    size_t head = 2;
    if (length > sizeof frame - 8) return -1;
    if (length <= 125) {
        frame[1] = (unsigned char)(0x80 | length);
    } else {
        frame[1] = 0x80 | 126;
        frame[2] = (unsigned char)(length >> 8);
        frame[3] = (unsigned char)length;
        head = 4;
    }
    // A mask of zeros is a mask: the server unmasks it like any other, and an echo comes back readable.
    memset(frame + head, 0, 4);
    memcpy(frame + head + 4, text, length);
    return write_all(client, frame, head + 4 + length);
}

// Takes whole frames from the buffer; whether one of less than `limit` bytes held `needle`.
static int take_frames(floor_client *client, const char *needle, size_t limit) {
    size_t at = 0;
    int found = 0;
    while (client->used - at >= 2) {
        const unsigned char *frame = client->buffer + at;
        size_t head = 2, length = frame[1] & 0x7f;
        if (length == 126) {
            head = 4;
            if (client->used - at < head) break;
            length = (size_t)frame[2] << 8 | frame[3];
        } else if (length == 127) {
            head = 10;
            if (client->used - at < head) break;
            length = (size_t)frame[6] << 24 | (size_t)frame[7] << 16 | (size_t)frame[8] << 8 | frame[9];
        }
        if (frame[1] & 0x80) head += 4;
        if (client->used - at < head + length) break;
        if (length < limit && memmem(frame + head, length, needle, strlen(needle))) found = 1;
        at += head + length;
    }
    client->used -= at;
    if (at && client->used) memmove(client->buffer, client->buffer + at, client->used);
    return found;
}

int floor_client_read(floor_client *client, const char *needle, size_t limit) {
    do {
        if (read_some(client) <= 0) return -1;
    } while (client->ssl && SSL_pending(client->ssl) > 0);
    return take_frames(client, needle, limit);
}

static int await(floor_client *client, const char *needle) {
    int found = client->used ? take_frames(client, needle, SIZE_MAX) : 0;
    while (found == 0) found = floor_client_read(client, needle, SIZE_MAX);
    return found == 1 ? 0 : -1;
}

int floor_client_join(floor_client *client, const char *token, int fresh, int wants_snapshot) {
    static const char upgrade[] = "GET / HTTP/1.1\r\nHost: node\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                                  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    if (write_all(client, upgrade, sizeof upgrade - 1) != 0) return -1;
    unsigned char *end = NULL;
    while (!end) {
        if (read_some(client) <= 0) return -1;
        end = memmem(client->buffer, client->used, "\r\n\r\n", 4);
    }
    if (memcmp(client->buffer, "HTTP/1.1 101", 12) != 0) return -1;
    client->used -= (size_t)(end + 4 - client->buffer);
    memmove(client->buffer, end + 4, client->used);
    char auth[700];
    int length = snprintf(
        auth, sizeof auth, "{\"type\":\"auth\",\"protocol\":1,\"token\":\"%s\"%s}", token, fresh ? ",\"capabilities\":[\"fresh\"]" : "");
    if (floor_client_send(client, auth, (size_t)length) != 0) return -1;
    return await(client, wants_snapshot ? "\"type\":\"snapshot\"" : "\"type\":\"ready\"");
}
