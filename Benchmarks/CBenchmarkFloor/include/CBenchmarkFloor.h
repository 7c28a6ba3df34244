#ifndef CBENCHMARKFLOOR_H
#define CBENCHMARKFLOOR_H
// What the benchmarks hold the node against, and the clients they drive both with: as little code as C and OpenSSL allow.
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// --- client.c: one blocking connection that speaks TLS (or not) and just enough WebSocket.
typedef struct floor_client floor_client;

// Connects to an IPv4 address. NULL, with a line on standard error, when that fails.
floor_client *_Nullable floor_client_open(const char *_Nonnull address, int port, int tls);
// Upgrades, authenticates and waits for `ready` (and, if asked, for the first snapshot). 0, or -1.
int floor_client_join(floor_client *_Nonnull, const char *_Nonnull token, int fresh, int wants_snapshot);
// Sends one masked text frame. 0, or -1.
int floor_client_send(floor_client *_Nonnull, const char *_Nonnull text, size_t length);
// Reads what has come, at least one byte; 1 when a frame shorter than `limit` holds `needle`, 0 when not yet, -1 at the end.
int floor_client_read(floor_client *_Nonnull, const char *_Nonnull needle, size_t limit);
int floor_client_descriptor(const floor_client *_Nonnull);
void floor_client_close(floor_client *_Nullable);

// --- peers.c: what the clients do, in a process of their own.

// Throws away, undecrypted, what comes for `clients` until standard input ends; returns the bytes.
uint64_t floor_drain(floor_client *_Nonnull *_Nonnull clients, int count);

enum { FLOOR_IN_TURN = 0, FLOOR_AT_ONCE = 1 };
// `rounds` times each client sends `command` (a JSON text with one `%07u` for the number) and waits for the frame that names the
// number: one after another, or all at once. `samples` gets count × rounds times in nanoseconds. 0, or -1.
int floor_commands(
    floor_client *_Nonnull *_Nonnull clients, int count, int mode, int rounds, const char *_Nonnull command, uint64_t *_Nonnull samples);

// Opens and closes `rounds` connections; with a token each waits for `ready`. 0, or -1.
int floor_handshakes(const char *_Nonnull address, int port, int rounds, const char *_Nullable token);

// `rounds` times appends a record that begins or ends a turn to `path`, waits for the snapshot that tells of it, and rests for `pause`
// milliseconds. `samples` gets the times in nanoseconds. 0, or -1.
int floor_changes(floor_client *_Nonnull, const char *_Nonnull path, int rounds, int pause, uint64_t *_Nonnull samples);

// --- servers.c: the floors.

// A server context with this certificate and key: TLS 1.3, AES-128-GCM, no tickets. Never freed.
void *_Nonnull floor_server_context(const char *_Nonnull certificate, const char *_Nonnull key);
// Listens on 127.0.0.1; the port comes back.
int floor_listen(int *_Nonnull port);

// Echoes what comes from any number of clients on a thread of its own, for ever.
void floor_echo(void *_Nonnull context, int listener);

// Accepts connections on a thread of its own, for ever: SSL_accept, SSL_free, close; in between, if asked, it answers the two messages of
// a client that upgrades and authenticates. Returns that thread's CPU clock.
clockid_t floor_accept(void *_Nonnull context, int listener, int answers);

// Accepts `count` connections, here.
typedef struct floor_writer floor_writer;
floor_writer *_Nullable floor_writer_open(void *_Nonnull context, int listener, int count);
// Writes `bytes` to each with SSL_write; returns the CPU time of this thread in nanoseconds, or -1.
int64_t floor_writer_round(floor_writer *_Nonnull, const void *_Nonnull bytes, size_t length);

// --- process.c
int64_t floor_clock(clockid_t);              // nanoseconds; -1 for a clock that is gone
clockid_t floor_thread_clock(void);          // the CPU clock of the calling thread
int64_t floor_anonymous_memory(void);        // bytes of this process that are no file's
int64_t floor_resident_memory(pid_t);
void floor_raise_descriptor_limit(void);
// Starts a program with pipes at its standard input and output; its pid, or -1. Descriptors of the caller are not inherited.
pid_t floor_spawn(char *const _Nullable *_Nonnull arguments, int *_Nonnull to, int *_Nonnull from);
// Runs a program with its output thrown away, to its end; nanoseconds, or -1 when it failed.
int64_t floor_run(char *const _Nullable *_Nonnull arguments, char *const _Nullable *_Nonnull environment);
pid_t floor_start(char *const _Nullable *_Nonnull arguments, char *const _Nullable *_Nonnull environment);
int floor_stop(pid_t);
void floor_remove_tree(const char *_Nonnull path);
// Sets when a file was last changed, in seconds since 1970.
int floor_set_modified(int descriptor, int64_t seconds);
#endif
