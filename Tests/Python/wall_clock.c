// Puts the clock on the wall elsewhere, for a program that it is loaded into (LD_PRELOAD): WALL_CLOCK_SHIFT, in seconds.
// The other clocks stay as they are, and so does the kernel: a wait until a time of this clock ends that much too late, or
// at once. (libfaketime changes the environment as it starts, and Swift then finds no arguments.)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static int (*real)(clockid_t, struct timespec *);
static time_t shift;

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("WALL_CLOCK_SHIFT");
    real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    shift = text ? atoll(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (!real) begin();
    int outcome = real(clock, now);
    if (outcome == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += shift;
    return outcome;
}

int gettimeofday(struct timeval *now, void *zone) {
    struct timespec time;
    (void)zone;
    int outcome = clock_gettime(CLOCK_REALTIME, &time);
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return outcome;
}

time_t time(time_t *place) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    if (place) *place = time.tv_sec;
    return time.tv_sec;
}
