#define _GNU_SOURCE
#include "include/CBenchmarkFloor.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int watch(int epoll, int fd, uint32_t index) {
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

uint64_t floor_drain(floor_client **clients, int count) {
    struct epoll_event events[256];
    uint64_t total = 0;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < count; i++) watch(epoll, floor_client_descriptor(clients[i]), (uint32_t)i);
    watch(epoll, STDIN_FILENO, UINT32_MAX);
    while (1) {
        int ready = epoll_wait(epoll, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.u32 == UINT32_MAX) {
                close(epoll);
                return total;
            }
            int fd = floor_client_descriptor(clients[events[i].data.u32]);
            // MSG_TRUNC: the kernel drops the bytes without copying them.
            ssize_t size = recv(fd, NULL, 1 << 20, MSG_TRUNC | MSG_DONTWAIT);
            if (size > 0) total += (uint64_t)size;
            else if (size == 0 || errno != EAGAIN) epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL);
        }
    }
}

static int send_numbered(floor_client *client, const char *command, unsigned number) {
    char text[512];
    int length = snprintf(text, sizeof text, command, number);
    return floor_client_send(client, text, (size_t)length);
}

static void needle_of(char needle[24], unsigned number) { snprintf(needle, 24, "%07u\"", number); }

static int in_turn(floor_client **clients, int count, int rounds, const char *command, uint64_t *samples) {
    unsigned number = 0;
    char needle[24];
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < count; i++, number++) {
            needle_of(needle, number);
            uint64_t start = now();
            if (send_numbered(clients[i], command, number) != 0) return -1;
            int found = 0;
            while (found == 0) found = floor_client_read(clients[i], needle, 1024);
            if (found < 0) return -1;
            samples[number] = now() - start;
        }
    }
    return 0;
}

static int at_once(floor_client **clients, int count, int rounds, const char *command, uint64_t *samples) {
    struct epoll_event events[64];
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    uint64_t *starts = calloc((size_t)count, sizeof *starts);
    char needle[24];
    int result = 0;
    for (int i = 0; i < count; i++) watch(epoll, floor_client_descriptor(clients[i]), (uint32_t)i);
    for (int round = 0; round < rounds && result == 0; round++) {
        unsigned base = (unsigned)(round * count);
        for (int i = 0; i < count && result == 0; i++) {
            starts[i] = now();
            result = send_numbered(clients[i], command, base + (unsigned)i);
        }
        for (int missing = count; missing > 0 && result == 0;) {
            int ready = epoll_wait(epoll, events, 64, 10000);
            if (ready <= 0) result = -1;
            for (int e = 0; e < ready && result == 0; e++) {
                unsigned i = events[e].data.u32;
                needle_of(needle, base + i);
                int found = floor_client_read(clients[i], needle, 1024);
                if (found < 0) result = -1;
                if (found != 1) continue;
                samples[base + i] = now() - starts[i];
                missing--;
            }
        }
    }
    free(starts);
    close(epoll);
    return result;
}

int floor_commands(floor_client **clients, int count, int mode, int rounds, const char *command, uint64_t *samples) {
    return (mode == FLOOR_AT_ONCE ? at_once : in_turn)(clients, count, rounds, command, samples);
}

int floor_handshakes(const char *address, int port, int rounds, const char *token) {
    for (int i = 0; i < rounds; i++) {
        floor_client *client = floor_client_open(address, port, 1);
        if (!client || (token && floor_client_join(client, token, 1, 0) != 0)) return -1;
        floor_client_close(client);
    }
    return 0;
}

// One line as the Codex CLI writes it; the numbers differ so that no two are alike.
static int record(char *line, size_t size, int round) {
    struct timespec time;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &time);
    gmtime_r(&time.tv_sec, &parts);
    char stamp[32];
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &parts);
    return snprintf(
        line, size, "{\"timestamp\":\"%s.%03ldZ\",\"ordinal\":%d,\"type\":\"event_msg\",\"payload\":{\"type\":\"%s\",\"turn_id\":\"turn-%d\"}}\n",
        stamp, time.tv_nsec / 1000000, 1000 + round, round % 2 ? "task_complete" : "task_started", round / 2);
}

int floor_changes(floor_client *client, const char *path, int rounds, int pause, uint64_t *samples) {
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0) return -1;
    for (int round = 0; round < rounds; round++) {
        char line[512], needle[64];
        struct stat status;
        if (fstat(fd, &status) != 0) return -1;
        // The offset of the record is its revision in the snapshot.
        snprintf(needle, sizeof needle, "Revision\":%" PRId64, (int64_t)status.st_size);
        int length = record(line, sizeof line, round);
        uint64_t start = now();
        if (write(fd, line, (size_t)length) != length) return -1;
        int found = 0;
        while (found == 0) found = floor_client_read(client, needle, SIZE_MAX);
        if (found < 0) return -1;
        samples[round] = now() - start;
        struct timespec rest = {.tv_sec = pause / 1000, .tv_nsec = pause % 1000 * 1000000L};
        nanosleep(&rest, NULL);
    }
    close(fd);
    return 0;
}
