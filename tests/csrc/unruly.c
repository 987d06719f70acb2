/* A machine that misbehaves, preloaded: clocks that jump, and a disk that is full now and then.
 *
 * UNRULY_ORDERS names a file of three 64-bit numbers, which whoever runs the storm writes while the program runs: what is added to
 * CLOCK_REALTIME and to CLOCK_MONOTONIC (nanoseconds), and one of how many writes fails (0: none). UNRULY_FOLDER is
 * the folder in which writes fail, half done, with "No space left on device".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BILLION 1000000000

struct orders {
    int64_t real_ns, monotonic_ns, fails_one_of;
};

static const struct orders none;
static const volatile struct orders *orders = &none;
static char folder[PATH_MAX];
static unsigned writes;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("UNRULY_ORDERS"), *place = getenv("UNRULY_FOLDER");
    if (place) snprintf(folder, sizeof folder, "%s/", place);
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof none, PROT_READ, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) orders = mapped;
    close(file);
}

static void add(struct timespec *time, int64_t ns) {
    int64_t seconds = ns / BILLION, rest = time->tv_nsec + ns % BILLION;
    if (rest < 0) rest += BILLION, seconds--;
    if (rest >= BILLION) rest -= BILLION, seconds++;
    time->tv_sec += seconds;
    time->tv_nsec = rest;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int failed = (int)syscall(SYS_clock_gettime, clock, time);
    if (failed) return failed;
    if (clock == CLOCK_REALTIME) add(time, orders->real_ns);
    if (clock == CLOCK_MONOTONIC) add(time, orders->monotonic_ns);
    return 0;
}

/* Whoever waits until a time that was reckoned from such a clock waits by the real one. */
static struct timespec until(const struct timespec *given, int is_monotonic) {
    struct timespec real = *given;
    add(&real, is_monotonic ? -orders->monotonic_ns : -orders->real_ns);
    if (real.tv_sec < 0) real.tv_sec = 0;
    return real;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *given, struct timespec *rest) {
    struct timespec real = *given;
    if (flags & TIMER_ABSTIME) real = until(given, clock == CLOCK_MONOTONIC);
    return syscall(SYS_clock_nanosleep, clock, flags, &real, rest) ? errno : 0;
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *given) {
    static int (*next)(sem_t *, clockid_t, const struct timespec *);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "sem_clockwait");
    struct timespec real = until(given, clock == CLOCK_MONOTONIC);
    return next(semaphore, clock, &real);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *given) {
    static int (*next)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    struct timespec real = until(given, given->tv_sec < BILLION); /* 31 years: no machine runs so long */
    return next(condition, mutex, &real);
}

static int is_in_folder(int file) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strncmp(path, folder, strlen(folder)) == 0;
}

ssize_t write(int file, const void *content, size_t size) {
    int64_t one_of = orders->fails_one_of;
    if (one_of > 0 && folder[0] && is_in_folder(file) && ++writes % (unsigned)one_of == 0) {
        errno = ENOSPC;
        if (size > 1 && syscall(SYS_write, file, content, size / 2) < 0) return -1;
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_write, file, content, size);
}
