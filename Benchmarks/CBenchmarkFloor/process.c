#define _GNU_SOURCE
#include "include/CBenchmarkFloor.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

int64_t floor_clock(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) != 0) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

clockid_t floor_thread_clock(void) {
    clockid_t clock = 0;
    pthread_getcpuclockid(pthread_self(), &clock);
    return clock;
}

// The number of kibibytes behind `name` in a file of /proc, in bytes.
static int64_t kibibytes(const char *path, const char *name) {
    char line[256];
    long value = 0;
    FILE *file = fopen(path, "re");
    if (!file) return -1;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, name, strlen(name)) == 0) sscanf(line + strlen(name), "%ld", &value);
    }
    fclose(file);
    return value * 1024;
}

int64_t floor_anonymous_memory(void) { return kibibytes("/proc/self/smaps_rollup", "Anonymous:"); }
int64_t floor_resident_memory(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    return kibibytes(path, "VmRSS:");
}

void floor_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

pid_t floor_spawn(char *const *arguments, int *to, int *from) {
    int input[2], output[2];
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) return -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    pid_t pid = -1;
    int code = posix_spawn(&pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    *to = input[1];
    *from = output[0];
    return code == 0 ? pid : -1;
}

pid_t floor_start(char *const *arguments, char *const *environment) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t pid = -1;
    int code = posix_spawn(&pid, arguments[0], &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return code == 0 ? pid : -1;
}

int64_t floor_run(char *const *arguments, char *const *environment) {
    int64_t start = floor_clock(CLOCK_MONOTONIC);
    pid_t pid = floor_start(arguments, environment);
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) return -1;
    return floor_clock(CLOCK_MONOTONIC) - start;
}

int floor_stop(pid_t pid) {
    int status = 0;
    if (kill(pid, SIGTERM) != 0) return -1;
    waitpid(pid, &status, 0);
    return status;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status, (void)kind, (void)place;
    return remove(path);
}

void floor_remove_tree(const char *path) { nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS); }

int floor_set_modified(int descriptor, int64_t seconds) {
    struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    return futimens(descriptor, times);
}
