/* The preloaded shim: turns a compiler executable into a fork server. See PROTOCOL.md.
 *
 * The C library starts a program by `__libc_start_main(main, ...)`. Ours hands over `serve` in the
 * place of main, when the client asked for it in the environment; otherwise the program runs as if
 * we were not there. By then the static initialisers (all of LLVM's) have run, once for all requests.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "frame.h"

/* Younger than the kernel headers that wheels are built with; the same on every architecture. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#define SERVER_FAILED 70
#define LAST_KEPT_DESCRIPTOR OUTPUT_DESCRIPTOR
#define LOOK_MS 1000         /* the longest wait while a limit of time runs */
#define ASLEEP_US 1000000u   /* who wakes up so late has not run */
#define STACK_WANTED (100ul << 20) /* the kernel leaves at least 128 MB of room below the stack */

#define INTERPOSED __attribute__((visibility("default")))

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

/* One request in flight: a child, and the pipe on which its answer is due. */
struct job {
    pid_t child;
    uint64_t id;
    int reply;
    uint64_t started_us;
    uint64_t deadline_us; /* 0: none */
    uint32_t cause;
};

static main_function *real_main;
static struct frame incoming;
static struct job jobs[MAX_REQUESTS];
static size_t job_count;
static int client_socket = -1;
static int child_signals = -1;
static int client_process = -1; /* a pidfd, where the kernel has them */
static pid_t server_pid;

static uint64_t now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/* ---- in the child: what the program sees when it opens, writes and closes files ---- */

static bool is_child;
static bool result_failed;
static int result_descriptor = -1;
static size_t log_written;

static bool ends_with(const char *text, const char *suffix) {
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

static bool is_in_workspace(const char *path) {
    return strncmp(path, WORKSPACE "/", sizeof WORKSPACE) == 0;
}

static int open_in_child(int folder, const char *path, int flags, mode_t mode) {
    bool is_written = (flags & O_ACCMODE) != O_RDONLY;
    if (!is_child || !is_written || !is_in_workspace(path))
        return (int)syscall(SYS_openat, folder, path, flags, mode);
    if (!ends_with(path, RESULT_SUFFIX))
        return (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY | O_CLOEXEC, 0);
    result_descriptor = fcntl(OUTPUT_DESCRIPTOR, F_DUPFD_CLOEXEC, LAST_KEPT_DESCRIPTOR + 1);
    return result_descriptor;
}

static mode_t mode_argument(int flags, va_list rest) {
    bool has_mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
    return has_mode ? (mode_t)va_arg(rest, int) : 0;
}

INTERPOSED int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_argument(flags, rest);
    va_end(rest);
    return open_in_child(AT_FDCWD, path, flags, mode);
}

INTERPOSED int open64(const char *path, int flags, ...) __attribute__((alias("open")));

INTERPOSED int openat(int folder, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_argument(flags, rest);
    va_end(rest);
    return open_in_child(folder, path, flags, mode);
}

INTERPOSED int openat64(int folder, const char *path, int flags, ...)
    __attribute__((alias("openat")));

/* A full log must not fail the program that writes it: LLVM aborts on a failed write. */
INTERPOSED ssize_t write(int descriptor, const void *bytes, size_t length) {
    if (is_child && (descriptor == STDERR_FILENO || descriptor == STDOUT_FILENO)) {
        if (log_written + length > LOG_LIMIT) return (ssize_t)length;
        log_written += length;
    }
    ssize_t written = (ssize_t)syscall(SYS_write, descriptor, bytes, length);
    if (is_child && descriptor == result_descriptor && written < 0 && errno != EINTR)
        result_failed = true;
    return written;
}

/* What follows the result is code generation. If the result is not whole, the program says so. */
INTERPOSED int close(int descriptor) {
    if (is_child && descriptor == result_descriptor && descriptor >= 0) {
        if (!result_failed) _exit(0);
        result_descriptor = -1;
    }
    return (int)syscall(SYS_close, descriptor);
}

/* ---- in the child: from fork to the real main ---- */

static void limit(int resource, uint64_t wanted) {
    struct rlimit bounds;
    if (getrlimit(resource, &bounds) != 0) return;
    rlim_t most = bounds.rlim_max;
    bounds.rlim_cur = most != RLIM_INFINITY && wanted > most ? most : (rlim_t)wanted;
    setrlimit(resource, &bounds);
}

static uint64_t soft_limit(int resource) {
    struct rlimit bounds = {.rlim_cur = RLIM_INFINITY};
    getrlimit(resource, &bounds);
    return bounds.rlim_cur;
}

static void set_limits(const struct request_payload *request) {
    limit(RLIMIT_CORE, 0);
    if (soft_limit(RLIMIT_STACK) < STACK_WANTED) limit(RLIMIT_STACK, STACK_WANTED);
    if (request->memory_limit) limit(RLIMIT_AS, request->memory_limit);
    if (request->file_limit) limit(RLIMIT_FSIZE, request->file_limit);
}

static void close_above(int last) {
    if (syscall(SYS_close_range, (unsigned)last + 1, ~0u, 0u) == 0) return;
    long most = sysconf(_SC_OPEN_MAX);
    for (int descriptor = last + 1; descriptor < most; descriptor++)
        syscall(SYS_close, descriptor);
}

static bool place_descriptors(const int given[REQUEST_DESCRIPTORS]) {
    int log = given[2];
    int nothing = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC, 0);
    bool placed = dup2(nothing, STDIN_FILENO) >= 0 && dup2(log, STDOUT_FILENO) >= 0 &&
                  dup2(log, STDERR_FILENO) >= 0 && dup2(given[0], INPUT_DESCRIPTOR) >= 0 &&
                  dup2(given[1], OUTPUT_DESCRIPTOR) >= 0;
    close_above(LAST_KEPT_DESCRIPTOR);
    return placed;
}

/* The server ignores and blocks signals for its own sake; the program starts with a clean slate. */
static void restore_signals(void) {
    sigset_t none;
    sigemptyset(&none);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool dies_with_server(void) {
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == server_pid;
}

/* The strings stay where they are, in `incoming`, which is the child's own copy. */
static char **argument_vector(const struct request_payload *request) {
    char **arguments = calloc(request->argument_count + 1, sizeof *arguments);
    char *text = (char *)incoming.payload + sizeof *request;
    for (uint32_t i = 0; arguments && i < request->argument_count; i++) {
        arguments[i] = text;
        text += strlen(text) + 1;
    }
    return arguments;
}

static int run_child(const struct request_payload *request, char **environment) {
    char **arguments = argument_vector(request);
    if (!dies_with_server() || !arguments || !place_descriptors(incoming.descriptors))
        _exit(SERVER_FAILED);
    setpgid(0, 0);
    restore_signals();
    set_limits(request);
    is_child = true;
    return real_main((int)request->argument_count, arguments, environment);
}

/* ---- in the server ---- */

static void refuse(struct frame *frame, const char *reason) {
    if (frame->descriptor_count == REQUEST_DESCRIPTORS)
        frame_send(frame->descriptors[3], KIND_REFUSAL, frame->header.id, reason, strlen(reason));
    frame_close_descriptors(frame);
}

/* NULL if the request can be run, else what is wrong with it. */
static const char *complaint_about(const struct frame *frame, struct request_payload *request) {
    if (frame->header.kind != KIND_REQUEST) return "the frame is not a request";
    if (frame->descriptor_count != REQUEST_DESCRIPTORS) return "the request lacks descriptors";
    if (frame->header.length < sizeof *request) return "the request is shorter than its fields";
    memcpy(request, frame->payload, sizeof *request);
    const unsigned char *text = frame->payload + sizeof *request;
    size_t length = frame->header.length - sizeof *request;
    uint32_t strings = 0;
    for (size_t i = 0; i < length; i++) strings += text[i] == 0;
    bool is_ended = length > 0 && text[length - 1] == 0;
    if (!is_ended || strings != request->argument_count || strings == 0)
        return "the request does not hold as many arguments as it says";
    return job_count == MAX_REQUESTS ? "too many requests are in flight" : NULL;
}

static void note_job(pid_t child, const struct request_payload *request) {
    uint64_t now = now_us(), allowed = request->time_limit_ms * 1000u;
    jobs[job_count++] = (struct job){.child = child,
                                     .id = incoming.header.id,
                                     .reply = incoming.descriptors[3],
                                     .started_us = now,
                                     .deadline_us = allowed ? now + allowed : 0,
                                     .cause = CAUSE_ENDED};
    incoming.descriptor_count = 3; /* the job owns the fourth, reply */
    frame_close_descriptors(&incoming);
}

/* True in the child, which has then to run `request`. */
static bool start_job(struct request_payload *request) {
    const char *complaint = complaint_about(&incoming, request);
    if (complaint) {
        refuse(&incoming, complaint);
        return false;
    }
    pid_t child = fork();
    if (child == 0) return true;
    if (child < 0) {
        refuse(&incoming, "the host could not fork: too many processes, or no memory");
        return false;
    }
    setpgid(child, child); /* here too: the kill below must find the group, however early */
    note_job(child, request);
    return false;
}

static void kill_job(const struct job *job) {
    kill(-job->child, SIGKILL);
    kill(job->child, SIGKILL);
}

static void answer(const struct job *job, int status, const struct rusage *used) {
    uint64_t cpu = (uint64_t)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000000u +
                   (uint64_t)(used->ru_utime.tv_usec + used->ru_stime.tv_usec);
    struct reply_payload reply = {(uint32_t)status, job->cause, now_us() - job->started_us, cpu,
                                  (uint64_t)used->ru_maxrss};
    frame_send(job->reply, KIND_REPLY, job->id, &reply, sizeof reply);
    close(job->reply);
}

static void reap(void) {
    struct signalfd_siginfo ignored;
    while (read(child_signals, &ignored, sizeof ignored) > 0) {
    }
    int status;
    struct rusage used;
    pid_t ended;
    while ((ended = wait4(-1, &status, WNOHANG, &used)) > 0) {
        for (size_t i = 0; i < job_count; i++) {
            if (jobs[i].child != ended) continue;
            kill(-ended, SIGKILL); /* whatever the program may have started itself */
            answer(&jobs[i], status, &used);
            jobs[i] = jobs[--job_count];
            break;
        }
    }
}

static void kill_overdue(void) {
    uint64_t now = now_us();
    for (size_t i = 0; i < job_count; i++) {
        if (jobs[i].deadline_us == 0 || jobs[i].deadline_us > now) continue;
        jobs[i].cause = CAUSE_TIMED_OUT;
        jobs[i].deadline_us = 0;
        kill_job(&jobs[i]);
    }
}

static int milliseconds_to_next_deadline(void) {
    uint64_t now = now_us(), nearest = UINT64_MAX;
    for (size_t i = 0; i < job_count; i++)
        if (jobs[i].deadline_us && jobs[i].deadline_us < nearest) nearest = jobs[i].deadline_us;
    if (nearest == UINT64_MAX) return -1;
    if (nearest <= now) return 0;
    uint64_t wait = (nearest - now) / 1000u + 1;
    return wait > LOOK_MS ? LOOK_MS : (int)wait;
}

/* Who waits for a while and wakes up much later did not run meanwhile, nor did the children: the machine slept, or its
 * container was frozen. That is not their time. */
static void forgive_sleep(uint64_t before, int waited_ms) {
    uint64_t due = before + (uint64_t)waited_ms * 1000u, now = now_us();
    if (waited_ms < 0 || now < due + ASLEEP_US) return;
    for (size_t i = 0; i < job_count; i++) {
        jobs[i].started_us += now - due;
        if (jobs[i].deadline_us) jobs[i].deadline_us += now - due;
    }
}

static void end_server(void) {
    for (size_t i = 0; i < job_count; i++) kill_job(&jobs[i]);
    while (waitpid(-1, NULL, 0) > 0) {
    }
    _exit(0);
}

enum { WATCH_SOCKET, WATCH_CHILDREN, WATCH_CLIENT, WATCH_REPLIES };

static void wait_for_events(struct pollfd watched[WATCH_REPLIES + MAX_REQUESTS]) {
    watched[WATCH_SOCKET] = (struct pollfd){client_socket, POLLIN, 0};
    watched[WATCH_CHILDREN] = (struct pollfd){child_signals, POLLIN, 0};
    watched[WATCH_CLIENT] = (struct pollfd){client_process, POLLIN, 0};
    for (size_t i = 0; i < job_count; i++)
        watched[WATCH_REPLIES + i] = (struct pollfd){jobs[i].reply, 0, 0};
    uint64_t before = now_us();
    int wait = milliseconds_to_next_deadline();
    if (poll(watched, WATCH_REPLIES + job_count, wait) < 0)
        for (size_t i = 0; i < WATCH_REPLIES + job_count; i++) watched[i].revents = 0;
    forgive_sleep(before, wait);
}

/* One turn of the loop. True in a child. */
static bool serve_events(struct request_payload *request) {
    struct pollfd watched[WATCH_REPLIES + MAX_REQUESTS];
    wait_for_events(watched);
    if (watched[WATCH_CLIENT].revents & POLLIN) end_server();
    for (size_t i = 0; i < job_count; i++)
        if (watched[WATCH_REPLIES + i].revents & (POLLERR | POLLHUP)) kill_job(&jobs[i]);
    kill_overdue();
    if (watched[WATCH_CHILDREN].revents & POLLIN) reap();
    if (!(watched[WATCH_SOCKET].revents & (POLLIN | POLLHUP | POLLERR))) return false;
    enum frame_result result = frame_receive(client_socket, &incoming);
    if (result == FRAME_OK) return start_job(request);
    if (result == FRAME_BAD && incoming.descriptor_count == REQUEST_DESCRIPTORS)
        refuse(&incoming, incoming.complaint);
    else
        end_server();
    return false;
}

static void greet(void) {
    struct hello_payload hello = {.pid = (uint32_t)server_pid};
    void (*version)(unsigned *, unsigned *, unsigned *);
    *(void **)&version = dlsym(RTLD_DEFAULT, "LLVMGetVersion");
    if (version) version(&hello.llvm_major, &hello.llvm_minor, &hello.llvm_patch);
    hello.has_enzyme = dlsym(RTLD_DEFAULT, "EnzymeFastMath") != NULL;
    if (frame_send(client_socket, KIND_HELLO, 0, &hello, sizeof hello) != 0) _exit(0);
}

static void watch_children(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_SETMASK, &signals, NULL);
    signal(SIGCHLD, SIG_DFL); /* an inherited "ignore" would lose the wait statuses */
    signal(SIGPIPE, SIG_IGN); /* the reader of an answer may have gone */
    child_signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The socket also ends when the client dies, unless a process it forked still holds it. */
static void watch_client(void) {
    const char *text = getenv(CLIENT_PID_VARIABLE);
    pid_t client = text ? (pid_t)atoi(text) : 0;
    if (client <= 0) return;
    if (getppid() != client) _exit(0);
    client_process = (int)syscall(SYS_pidfd_open, client, 0);
}

static void forget_environment(void) {
    unsetenv("LD_PRELOAD");
    unsetenv(SERVER_FD_VARIABLE);
    unsetenv(CLIENT_PID_VARIABLE);
}

static int serve(int argument_count, char **arguments, char **environment) {
    (void)argument_count, (void)arguments, (void)environment;
    server_pid = getpid();
    watch_children();
    watch_client();
    forget_environment();
    if (child_signals < 0) return SERVER_FAILED;
    greet();
    struct request_payload request;
    while (!serve_events(&request)) {
    }
    return run_child(&request, environ);
}

INTERPOSED int __libc_start_main(main_function *program_main, int argument_count, char **arguments,
                      void (*initialise)(void), void (*finish)(void), void (*unload)(void),
                      void *stack_end) {
    start_function *start;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    const char *descriptor = getenv(SERVER_FD_VARIABLE);
    real_main = program_main;
    if (descriptor) client_socket = atoi(descriptor);
    return start(client_socket >= 0 ? serve : program_main, argument_count, arguments, initialise,
                 finish, unload, stack_end);
}
