/* Where a thread is in generated code: see sampling.h. */
#define _GNU_SOURCE
#include "sampling.h"

#include "trace.h"

#include <stdbool.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id /* which some C libraries do not name */
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define MOST_WORDS 8192 /* of the stack that are looked at */

static struct {
    uint32_t *counts;
    const uint8_t *has_line;
    uintptr_t begin, end, stack; /* the stack's far end */
    size_t outside;
    volatile int32_t phase;
    volatile bool is_on;
    timer_t timer;
    struct sigaction before;
} now;

static bool is_in_code(uintptr_t at) { return at >= now.begin && at < now.end; }

static bool has_line(uintptr_t at) { return is_in_code(at) && now.has_line[at - now.begin]; }

/* Whether an address can be where a call returns to. */
static bool is_behind_call(uintptr_t at) {
#ifdef __x86_64__
    const uint8_t *code = (const uint8_t *)at;
    if (at < now.begin + 8) return false;
    if (code[-5] == 0xe8) return true;
    for (int back = 2; back <= 7; back++)
        if (code[-back] == 0xff && ((code[1 - back] >> 3) & 7) == 2) return true;
    return false;
#else
    return (at & 3) == 0 && at >= now.begin + 4;
#endif
}

static void count(uintptr_t at, size_t kind) { now.counts[4 * (at - now.begin) + kind + (size_t)now.phase]++; }

static void handler(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)info;
    if (!now.is_on || now.phase > 1) return;
    const ucontext_t *where = context;
#ifdef __x86_64__
    uintptr_t at = (uintptr_t)where->uc_mcontext.gregs[REG_RIP];
    uintptr_t stack = (uintptr_t)where->uc_mcontext.gregs[REG_RSP];
#else
    uintptr_t at = (uintptr_t)where->uc_mcontext.pc, stack = (uintptr_t)where->uc_mcontext.sp;
    uintptr_t link = (uintptr_t)where->uc_mcontext.regs[30];
#endif
    if (has_line(at)) {
        count(at, 0);
        return;
    }
#ifdef __aarch64__
    if (has_line(link - 1)) {
        count(link - 1, 2);
        return;
    }
#endif
    stack &= ~(uintptr_t)7;
    for (int i = 0; i < MOST_WORDS && stack + 8 <= now.stack; i++, stack += 8) {
        uintptr_t word;
        memcpy(&word, (const void *)stack, sizeof word);
        if (has_line(word - 1) && is_behind_call(word)) {
            count(word - 1, 2);
            return;
        }
    }
    if (is_in_code(at))
        count(at, 0);
    else
        now.outside++;
}

static uintptr_t end_of_stack(void) {
    pthread_attr_t facts;
    void *start = NULL;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &facts) != 0) return 0;
    pthread_attr_getstack(&facts, &start, &bytes);
    pthread_attr_destroy(&facts);
    return (uintptr_t)start + bytes;
}

int32_t enzyme_py_sampling_begin(uint32_t *counts, const uint8_t *has_line, const void *code, size_t bytes,
                                 size_t microseconds) {
    struct sigaction ours, found;
    if (now.is_on || sigaction(SIGPROF, NULL, &found) != 0) return -1;
    if ((found.sa_flags & SA_SIGINFO) || (found.sa_handler != SIG_DFL && found.sa_handler != SIG_IGN)) return -1;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = handler;
    ours.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&ours.sa_mask);
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    now.counts = counts;
    now.has_line = has_line;
    now.begin = (uintptr_t)code;
    now.end = now.begin + bytes;
    now.stack = end_of_stack();
    now.outside = 0;
    now.phase = 2;
    if (sigaction(SIGPROF, &ours, &now.before) != 0) return -1;
    if (timer_create(CLOCK_MONOTONIC, &event, &now.timer) != 0) {
        sigaction(SIGPROF, &now.before, NULL);
        return -1;
    }
    now.is_on = true;
    struct timespec step = {(time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000};
    struct itimerspec every = {step, step};
    timer_settime(now.timer, 0, &every, NULL);
    return 0;
}

void enzyme_py_sampling_phase(int32_t phase) { now.phase = phase; }

/* A signal that was sent before the timer went finds the handler, which does nothing: SIGPROF's default ends the process. */
size_t enzyme_py_sampling_end(void) {
    if (!now.is_on) return 0;
    now.is_on = false;
    timer_delete(now.timer);
    sigset_t pending;
    struct timespec no_time = {0, 0};
    sigset_t own, mask;
    sigemptyset(&own);
    sigaddset(&own, SIGPROF);
    pthread_sigmask(SIG_BLOCK, &own, &mask);
    while (sigpending(&pending) == 0 && sigismember(&pending, SIGPROF))
        if (sigtimedwait(&own, NULL, &no_time) < 0) break;
    sigaction(SIGPROF, &now.before, NULL);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return now.outside;
}

void enzyme_py_sampled_turn(void) {
    enzyme_py_traced_turn();
    now.phase = 1;
}

#else

int32_t enzyme_py_sampling_begin(uint32_t *counts, const uint8_t *has_line, const void *code, size_t bytes,
                                 size_t microseconds) {
    (void)counts;
    (void)has_line;
    (void)code;
    (void)bytes;
    (void)microseconds;
    return -1;
}

void enzyme_py_sampling_phase(int32_t phase) { (void)phase; }

size_t enzyme_py_sampling_end(void) { return 0; }

void enzyme_py_sampled_turn(void) { enzyme_py_traced_turn(); }

#endif
