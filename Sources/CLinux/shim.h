#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H
// Linux calls and constants that Swift's Glibc module does not carry. The Glibc module is built without
// _GNU_SOURCE, so GNU extensions are declared again below, word for word as glibc has them.
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int pipe2(int[2], int);
extern int pthread_setname_np(pthread_t, const char *);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);
extern long syscall(long, ...);

// Accepts one connection as a non-blocking descriptor that no child inherits.
static inline int deck_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// A stream socket of `family`, non-blocking, not inherited.
static inline int deck_stream_socket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

// A pipe whose ends no child inherits; `flags` is 0 or O_NONBLOCK.
static inline int deck_pipe(int ends[2], int flags) { return pipe2(ends, flags | O_CLOEXEC); }

static inline int deck_event_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// CLOCK_BOOTTIME goes on while the computer sleeps, as Swift's ContinuousClock does.
static inline int deck_timer_descriptor(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

// Adds (op EPOLL_CTL_ADD), changes (MOD) or removes (DEL) a descriptor; `data` comes back with its events.
static inline int deck_epoll_control(int epoll, int op, int descriptor, unsigned events, unsigned long long data) {
    struct epoll_event event = {.events = events, .data.u64 = data};
    return epoll_ctl(epoll, op, descriptor, &event);
}

static inline long deck_send(int socket, const void *bytes, size_t count) { return send(socket, bytes, count, MSG_NOSIGNAL); }

// SO_PEERCRED's answer; the same layout as `struct ucred`.
struct deck_credentials { int pid; unsigned uid; unsigned gid; };
static inline int deck_peer_credentials(int socket, struct deck_credentials *out) {
    socklen_t length = sizeof *out;
    return getsockopt(socket, SOL_SOCKET, 17 /* SO_PEERCRED */, out, &length);
}

// Opened close-on-exec by the kernel.
static inline int deck_pidfd_open(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

// Signals to a descriptor: the handler writes the signal's number, one byte, to the pipe named last.
// The variable and its handler are referred to by one Swift file only; another would get its own copy.
static volatile int deck_signal_pipe = -1;
static void deck_signal_handler(int number) {
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    int descriptor = deck_signal_pipe;
    if (descriptor >= 0) { long ignored = write(descriptor, &byte, 1); (void)ignored; }
    errno = saved;
}
static inline void deck_signal_set_pipe(int descriptor) { deck_signal_pipe = descriptor; }
static inline int deck_signal_install(int number, struct sigaction *previous) {
    struct sigaction action = {0};
    action.sa_handler = deck_signal_handler;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    return sigaction(number, &action, previous);
}
#endif
