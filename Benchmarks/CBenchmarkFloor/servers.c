#define _GNU_SOURCE
#include "include/CBenchmarkFloor.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

void *floor_server_context(const char *certificate, const char *key) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    BIO *first = BIO_new_mem_buf(certificate, -1), *second = BIO_new_mem_buf(key, -1);
    X509 *x509 = PEM_read_bio_X509(first, NULL, NULL, NULL);
    EVP_PKEY *private = PEM_read_bio_PrivateKey(second, NULL, NULL, NULL);
    if (SSL_CTX_use_certificate(context, x509) != 1 || SSL_CTX_use_PrivateKey(context, private) != 1) {
        ERR_print_errors_fp(stderr);
        exit(1);
    }
    SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256");
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    X509_free(x509);
    EVP_PKEY_free(private);
    BIO_free(first);
    BIO_free(second);
    return context;
}

int floor_listen(int *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) != 0 || listen(fd, 1024) != 0
        || getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
        perror("listen");
        exit(1);
    }
    *port = ntohs(address.sin_port);
    return fd;
}

static SSL *accept_one(SSL_CTX *context, int listener) {
    int one = 1, fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) return NULL;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    SSL *ssl = SSL_new(context);
    SSL_set_fd(ssl, fd);
    if (SSL_accept(ssl) == 1) return ssl;
    ERR_print_errors_fp(stderr);
    SSL_free(ssl);
    close(fd);
    return NULL;
}

struct server {
    SSL_CTX *context;
    int listener;
    int answers;
};

static void start(void *(*body)(void *), struct server parameters, pthread_t *thread) {
    struct server *server = malloc(sizeof *server);
    *server = parameters;
    if (pthread_create(thread, NULL, body, server) != 0) exit(1);
    pthread_setname_np(*thread, "floor");
}

// MARK: Echo

static void *echo(void *argument) {
    struct server server = *(struct server *)argument;
    struct epoll_event events[256], event = {.events = EPOLLIN};
    char buffer[16384];
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    epoll_ctl(epoll, EPOLL_CTL_ADD, server.listener, &event);
    while (1) {
        int ready = epoll_wait(epoll, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            SSL *ssl = events[i].data.ptr;
            if (!ssl) {
                if (!(ssl = accept_one(server.context, server.listener))) continue;
                fcntl(SSL_get_fd(ssl), F_SETFL, O_NONBLOCK);
                event.data.ptr = ssl;
                epoll_ctl(epoll, EPOLL_CTL_ADD, SSL_get_fd(ssl), &event);
                continue;
            }
            do {
                int count = SSL_read(ssl, buffer, sizeof buffer);
                if (count > 0) {
                    SSL_write(ssl, buffer, count);
                } else if (SSL_get_error(ssl, count) != SSL_ERROR_WANT_READ) {
                    close(SSL_get_fd(ssl));
                    SSL_free(ssl);
                    ssl = NULL;
                }
            } while (ssl && SSL_pending(ssl) > 0);
            ERR_clear_error();
        }
    }
    return NULL;
}

void floor_echo(void *context, int listener) {
    pthread_t thread;
    start(echo, (struct server){context, listener, 0}, &thread);
}

// MARK: Accepting

// What a client waits for before it believes that it is in, and its goodbye; nothing of what it sends is looked at.
static void answer(SSL *ssl) {
    static const char upgrade[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                  "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    static const char ready[] = "\x81\x20{\"type\":\"ready\",\"protocol\":1   }";
    char buffer[16384];
    if (SSL_read(ssl, buffer, sizeof buffer) <= 0) return;
    SSL_write(ssl, upgrade, sizeof upgrade - 1);
    if (SSL_read(ssl, buffer, sizeof buffer) <= 0) return;
    SSL_write(ssl, ready, sizeof ready - 1);
    SSL_read(ssl, buffer, sizeof buffer);
}

static void *accepting(void *argument) {
    struct server server = *(struct server *)argument;
    while (1) {
        SSL *ssl = accept_one(server.context, server.listener);
        if (!ssl) continue;
        if (server.answers) answer(ssl);
        close(SSL_get_fd(ssl));
        SSL_free(ssl);
    }
    return NULL;
}

clockid_t floor_accept(void *context, int listener, int answers) {
    pthread_t thread;
    clockid_t clock = 0;
    start(accepting, (struct server){context, listener, answers}, &thread);
    pthread_getcpuclockid(thread, &clock);
    return clock;
}

// MARK: Writing

struct floor_writer {
    int count;
    SSL *ssl[];
};

floor_writer *floor_writer_open(void *context, int listener, int count) {
    floor_writer *writer = calloc(1, sizeof *writer + (size_t)count * sizeof(SSL *));
    for (int i = 0; i < count; i++) {
        if (!(writer->ssl[i] = accept_one(context, listener))) return NULL;
    }
    writer->count = count;
    return writer;
}

int64_t floor_writer_round(floor_writer *writer, const void *bytes, size_t length) {
    int64_t start = floor_clock(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < writer->count; i++) {
        if (SSL_write(writer->ssl[i], bytes, (int)length) != (int)length) return -1;
    }
    return floor_clock(CLOCK_THREAD_CPUTIME_ID) - start;
}
