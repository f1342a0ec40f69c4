// Lets threads stand still: loaded before a program (LD_PRELOAD), it delays system calls at random, as a machine does
// that has too much to do.
//
// One call of a hundred takes up to 40 ms longer, and one of five thousand between 1.25 s and 2.5 s. What waits for
// something is delayed after its wait, so that the world has moved on when it looks. Nothing else is changed, and no call
// fails: a test that fails with it has counted on the order or the speed of what happens at once.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void pause_for(long milliseconds) {
    const int error = errno;
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
    errno = error;
}

// xorshift64, with a state and a beginning of each thread's own.
static uint64_t random_number(void) {
    static __thread uint64_t state;
    if (state == 0) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        state = ((uint64_t)now.tv_nsec << 20 ^ (uintptr_t)&state ^ (uint64_t)getpid()) | 1;
    }
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void stall(void) {
    if (random_number() % 100 == 0) pause_for(random_number() % 41);
    if (random_number() % 5000 == 0) pause_for(1250 + random_number() % 1250);
}

// The function of that name that would be called without this library.
#define BEHIND(name) \
    static __typeof__(&name) behind; \
    if (behind == NULL) behind = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define STALLED(type, name, parameters, arguments) \
    type name parameters { \
        BEHIND(name); \
        stall(); \
        return behind arguments; \
    }

#define WAITING(type, name, parameters, arguments) \
    type name parameters { \
        BEHIND(name); \
        const type result = behind arguments; \
        stall(); \
        return result; \
    }

STALLED(ssize_t, read, (int file, void *bytes, size_t count), (file, bytes, count))
STALLED(ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count))
STALLED(ssize_t, recv, (int file, void *bytes, size_t count, int flags), (file, bytes, count, flags))
STALLED(ssize_t, send, (int file, const void *bytes, size_t count, int flags), (file, bytes, count, flags))
STALLED(ssize_t, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags))
STALLED(ssize_t, sendmsg, (int file, const struct msghdr *message, int flags), (file, message, flags))
STALLED(int, fsync, (int file), (file))
STALLED(int, fdatasync, (int file), (file))
WAITING(int, poll, (struct pollfd * files, nfds_t count, int timeout), (files, count, timeout))
WAITING(int, epoll_wait, (int queue, struct epoll_event *events, int count, int timeout), (queue, events, count, timeout))
