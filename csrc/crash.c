/* What is told when generated code dies; crash.h states the contract.
 *
 * Everything that the handler says was written down when the code was loaded, and it calls only what
 * POSIX allows in a handler. The records of loaded code are a list that only grows: one that is
 * forgotten is taken again by the next that comes, so that no lock is needed, which a fork could
 * leave locked, and a handler could wait for.
 */
#define _GNU_SOURCE
#include "crash.h"

#include "region.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)64 << 10)
#define MOST_NESTED 8

struct enzyme_py_watched {
    enzyme_py_watched *next;
    int32_t is_taken;
    uintptr_t begin, end; /* end is 0 while there is nothing to find here */
    char *texts;          /* one block that holds all of the following */
    const char *line, *report, *parent, *folder, *source_name, *source;
    size_t source_bytes;
};

static enzyme_py_watched *all;

static const struct {
    int number;
    const char *name;
} SIGNALS[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGILL, "SIGILL"},
    {SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"},
};
#define SIGNAL_COUNT (sizeof SIGNALS / sizeof *SIGNALS)

static struct sigaction before[SIGNAL_COUNT];
static int32_t is_told;

/* -- text, without the C library --------------------------------------------------------- */

/* Only one thread ever tells, so one is enough; a stack for signals may be small. */
static struct {
    size_t length;
    char text[16384];
} out;

static void put_bytes(const char *text, size_t length) {
    size_t room = sizeof out.text - out.length;
    if (length > room) length = room;
    memcpy(out.text + out.length, text, length);
    out.length += length;
}

static void put(const char *text) { put_bytes(text, strlen(text)); }

static void put_number(uint64_t number) {
    char digits[20];
    size_t count = 0;
    do digits[sizeof digits - ++count] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    put_bytes(digits + sizeof digits - count, count);
}

static bool write_all(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t done = write(descriptor, bytes, length);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done;
        length -= (size_t)done;
    }
    return true;
}

/* -- the two files ----------------------------------------------------------------------- */

/* The folder, if it is this user's alone: what others could replace by a link is not written to. */
static int open_folder(const enzyme_py_watched *self) {
    mkdir(self->parent, 0700);
    mkdir(self->folder, 0700);
    int folder = open(self->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat found;
    if (folder < 0) return -1;
    if (fstat(folder, &found) == 0 && found.st_uid == geteuid() && !(found.st_mode & 022)) {
        return folder;
    }
    close(folder);
    return -1;
}

static bool write_file(int folder, const char *name, const char *bytes, size_t length) {
    static const char aside[] = "crash.part";
    unlinkat(folder, aside, 0);
    int file = openat(folder, aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return false;
    bool is_written = write_all(file, bytes, length);
    if (close(file) == 0 && is_written && renameat(folder, aside, folder, name) == 0) return true;
    unlinkat(folder, aside, 0);
    return false;
}

static void write_report(int folder, const enzyme_py_watched *self, const char *name,
                         bool has_source) {
    out.length = 0;
    put("signal: ");
    put(name);
    put("\ntime: ");
    put_number((uint64_t)time(NULL));
    put("\nprocess: ");
    put_number((uint64_t)getpid());
    put("\nguard: ");
    put(guard_is_on() ? "on" : "off");
    put("\nir: ");
    put(has_source ? self->source_name : "");
    put("\n");
    put(self->report);
    write_file(folder, "last-crash", out.text, out.length);
}

/* -- the line ---------------------------------------------------------------------------- */

static const enzyme_py_watched *find(const void *body) {
    uintptr_t address = (uintptr_t)body;
    enzyme_py_watched *at = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
    for (; at != NULL; at = at->next) {
        uintptr_t end = __atomic_load_n(&at->end, __ATOMIC_ACQUIRE);
        if (address < end && address >= at->begin) return at;
    }
    return NULL;
}

static void put_outer(const frame *inner) {
    const frame *at = inner->outer;
    for (int count = 0; at != NULL && count < MOST_NESTED; at = at->outer, count++) {
        const enzyme_py_watched *outer = find(at->body);
        if (outer == NULL) continue;
        put(", called by ");
        put(outer->line);
    }
}

static void tell(const frame *running, const char *name) {
    const enzyme_py_watched *self = find(running->body);
    bool has_source = false, has_report = false;
    int folder = self == NULL ? -1 : open_folder(self);
    if (folder >= 0) {
        has_source = self->source_bytes > 0 &&
                     write_file(folder, self->source_name, self->source, self->source_bytes);
        write_report(folder, self, name, has_source);
        has_report = true;
        close(folder);
    }
    out.length = 0;
    put("enzyme_py: ");
    put(name);
    put(" while ");
    put(self == NULL ? "a derivative" : self->line);
    put(" ran");
    put_outer(running);
    if (has_source) {
        put("; its IR: ");
        put(self->folder);
        put("/");
        put(self->source_name);
    }
    put(guard_is_on() ? "; ENZYME_PY_GUARD was on"
                      : "; run it with ENZYME_PY_GUARD=1 to stop where memory is first misused");
    if (has_report) put("; `python -m enzyme_py doctor --last-crash` tells more");
    put("\n");
    write_all(STDERR_FILENO, out.text, out.length);
}

/* -- signals ----------------------------------------------------------------------------- */

static bool has_handler(const struct sigaction *action) {
    if (action->sa_flags & SA_SIGINFO) return true;
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

/* Call a handler with the signals blocked that it asked for; the kernel puts back what was. */
static void call_handler(int number, struct sigaction action, siginfo_t *info, void *context) {
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, number);
    pthread_sigmask(SIG_BLOCK, &action.sa_mask, NULL);
    if (action.sa_flags & SA_NODEFER) pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    if (action.sa_flags & SA_SIGINFO) {
        action.sa_sigaction(number, info, context);
    } else {
        action.sa_handler(number);
    }
}

static void hand_on(size_t which, siginfo_t *info, void *context) {
    int number = SIGNALS[which].number;
    struct sigaction action = before[which];
    bool was_sent = info->si_code <= 0; /* by raise, abort or kill: it does not come again */
    if (has_handler(&action)) {
        if (action.sa_flags & (int)SA_RESETHAND) {
            before[which].sa_flags = 0;
            before[which].sa_handler = SIG_DFL;
        }
        call_handler(number, action, info, context);
    } else if (action.sa_handler == SIG_DFL || !was_sent) {
        sigaction(number, &action, NULL); /* a fault comes again when this handler returns */
        if (was_sent) raise(number);
    }
}

static void handler(int number, siginfo_t *info, void *context) {
    int error = errno;
    const frame *running = running_frame();
    size_t which = 0;
    while (which + 1 < SIGNAL_COUNT && SIGNALS[which].number != number) which++;
    if (running != NULL && __atomic_exchange_n(&is_told, 1, __ATOMIC_ACQ_REL) == 0) {
        tell(running, SIGNALS[which].name);
    }
    hand_on(which, info, context);
    errno = error;
}

static bool is_wanted(void) {
    const char *wish = getenv("ENZYME_PY_CRASH_LINE");
    return wish == NULL || strcmp(wish, "0") != 0;
}

static void install(void) {
    if (!is_wanted()) return;
    struct sigaction ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = handler;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    for (size_t which = 0; which < SIGNAL_COUNT; which++) {
        /* Known before ours can be called. */
        if (sigaction(SIGNALS[which].number, NULL, &before[which]) != 0) continue;
        sigaction(SIGNALS[which].number, &ours, NULL);
    }
}

void *crash_stack_take(void) {
    stack_t found;
    if (!is_wanted() || sigaltstack(NULL, &found) != 0 || !(found.ss_flags & SS_DISABLE)) {
        return NULL;
    }
    void *start =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return NULL;
    stack_t ours = {.ss_sp = start, .ss_size = STACK_BYTES, .ss_flags = 0};
    if (sigaltstack(&ours, NULL) == 0) return start;
    munmap(start, STACK_BYTES);
    return NULL;
}

void crash_stack_give(void *stack) {
    stack_t found, none = {.ss_sp = NULL, .ss_size = 0, .ss_flags = SS_DISABLE};
    if (stack == NULL || sigaltstack(NULL, &found) != 0) return;
    if (found.ss_sp == stack && sigaltstack(&none, NULL) != 0) return;
    munmap(stack, STACK_BYTES);
}

/* -- what is loaded ---------------------------------------------------------------------- */

static enzyme_py_watched *take_record(void) {
    enzyme_py_watched *at = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
    for (; at != NULL; at = at->next) {
        int32_t nobody = 0;
        if (__atomic_compare_exchange_n(&at->is_taken, &nobody, 1, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
            return at;
        }
    }
    enzyme_py_watched *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    made->is_taken = 1;
    made->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all, &made->next, made, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
    return made;
}

static void give_record(enzyme_py_watched *self) {
    __atomic_store_n(&self->is_taken, 0, __ATOMIC_RELEASE);
}

static const char *copied(char **end, const char *text, size_t length) {
    char *start = *end;
    memcpy(start, text, length);
    start[length] = 0;
    *end = start + length + 1;
    return start;
}

enzyme_py_watched *enzyme_py_crash_watch(const void *begin, size_t bytes, const char *line,
                                         const char *report, const void *source,
                                         size_t source_bytes, const char *parent,
                                         const char *folder, const char *source_name) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    const char *texts[] = {line, report, parent, folder, source_name};
    size_t total = source_bytes + 1;
    for (size_t i = 0; i < 5; i++) total += strlen(texts[i]) + 1;
    char *block = malloc(total), *end = block;
    enzyme_py_watched *self = block == NULL ? NULL : take_record();
    if (self == NULL) {
        free(block);
        return NULL;
    }
    self->texts = block;
    self->line = copied(&end, line, strlen(line));
    self->report = copied(&end, report, strlen(report));
    self->parent = copied(&end, parent, strlen(parent));
    self->folder = copied(&end, folder, strlen(folder));
    self->source_name = copied(&end, source_name, strlen(source_name));
    self->source = copied(&end, source, source_bytes);
    self->source_bytes = source_bytes;
    self->begin = (uintptr_t)begin;
    __atomic_store_n(&self->end, (uintptr_t)begin + bytes, __ATOMIC_RELEASE);
    return self;
}

void enzyme_py_crash_forget(enzyme_py_watched *self) {
    if (self == NULL) return;
    __atomic_store_n(&self->end, 0, __ATOMIC_RELEASE);
    free(self->texts);
    self->texts = NULL;
    give_record(self);
}
