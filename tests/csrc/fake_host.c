/* A stand-in for the Enzyme executable: does what the first word of its input says.
 *
 * Called as catalyst is: `fake_host --workspace=DIR ... FILE`. Small enough to run under sanitizers,
 * and willing to do everything that the real program does only when it is broken.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char input[1 << 20];
static char result_path[4096];
static int argument_count;
static char **arguments;
static const char *rest; /* of the input, after the first word */

static void say(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(90);
}

static void write_file(const char *name, const char *text) {
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", result_path, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        say("cannot open a file in the workspace\n");
        exit(2);
    }
    ssize_t written = write(file, text, strlen(text));
    if (close(file) != 0 || written < 0) {
        say("cannot write\n");
        exit(2);
    }
}

static void copy(void) {
    write_file("1_AfterO2OptPasses.ll", "not this");
    write_file("2_AfterEnzymePasses.ll", rest);
    say("code generation was reached\n");
    exit(5);
}

static void print(void) {
    printf("to stdout\n");
    fflush(stdout);
    say("to stderr\n");
    copy();
}

static void refuse(void) {
    say("error: <unknown>:0:0: in function f double (double): Enzyme: No reverse pass found for g\n");
    exit(1);
}

static void hang(void) {
    for (;;) pause();
}

static void spin(void) {
    for (volatile unsigned long i = 0;; i++) {
    }
}

static void grow(void) {
    for (;;) {
        char *block = malloc(1 << 24);
        if (!block) break;
        memset(block, 1, 1 << 24);
    }
    say("LLVM ERROR: out of memory\n");
    abort();
}

static void flood(void) {
    static char line[65536];
    memset(line, 'x', sizeof line);
    for (int i = 0; i < 4096; i++)
        if (write(STDERR_FILENO, line, sizeof line) != sizeof line) exit(3);
    copy();
}

/* Writes without end. A full file is a signal, or, if that is ignored, a failed write. */
static void overflow(void) {
    if (strncmp(rest, "quietly", 7) == 0) signal(SIGXFSZ, SIG_IGN);
    static char block[1 << 20];
    char path[8192];
    snprintf(path, sizeof path, "%s/2_AfterEnzymePasses.ll", result_path);
    int file = open(path, O_WRONLY | O_CREAT, 0666);
    for (;;)
        if (write(file, block, sizeof block) < 0) break;
    close(file); /* must come back: the result is not whole */
    say("IO failure on output stream\n");
    exit(4);
}

static int depth(int left) {
    volatile char frame[16384];
    frame[0] = (char)left;
    return left == 0 ? 0 : depth(left - 1) + frame[0] * 0;
}

static void recurse(void) {
    depth(3000); /* 48 MB of stack: more than the usual 8 */
    copy();
}

static void leave_child(void) {
    pid_t pid = fork();
    if (pid == 0) hang();
    char text[64];
    snprintf(text, sizeof text, "%d", (int)pid);
    write_file("2_AfterEnzymePasses.ll", text);
}

static void list_descriptors(void) {
    char text[4096] = "";
    for (int descriptor = 0; descriptor < 1024; descriptor++)
        if (fcntl(descriptor, F_GETFD) >= 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%d ", descriptor);
    write_file("2_AfterEnzymePasses.ll", text);
}

static void show_environment(void) {
    const char *preload = getenv("LD_PRELOAD"), *server = getenv("ENZYME_PY_SERVER_FD");
    char text[4096];
    snprintf(text, sizeof text, "%s %s", preload ? preload : "none", server ? server : "none");
    write_file("2_AfterEnzymePasses.ll", text);
}

static void show_arguments(void) {
    char text[65536] = "";
    for (int i = 0; i < argument_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n", arguments[i]);
    write_file("2_AfterEnzymePasses.ll", text);
}

static void show_signals(void) {
    sigset_t blocked;
    struct sigaction pipe_action;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    sigaction(SIGPIPE, NULL, &pipe_action);
    int is_clean = !sigismember(&blocked, SIGCHLD) && pipe_action.sa_handler == SIG_DFL;
    write_file("2_AfterEnzymePasses.ll", is_clean ? "clean" : "inherited");
}

static void crash(void) { raise(SIGSEGV); }

/* Enzyme prints the module first, and a module may hold any text. */
static void assert_wrong(void) {
    say("@k0 = constant c\"LLVM ERROR: out of memory\"\n");
    say("fake_host: Gradient.cpp:12: void f(): Assertion `isActive && \"told\"' failed.\n");
    abort();
}

static const struct {
    const char *word;
    void (*act)(void);
} ACTIONS[] = {
    {"copy", copy},
    {"print", print},
    {"refuse", refuse},
    {"hang", hang},
    {"spin", spin},
    {"grow", grow},
    {"flood", flood},
    {"overflow", overflow},
    {"recurse", recurse},
    {"leave-child", leave_child},
    {"descriptors", list_descriptors},
    {"environment", show_environment},
    {"arguments", show_arguments},
    {"signals", show_signals},
    {"segv", crash},
    {"assert", assert_wrong},
};

static void read_input(const char *path) {
    int file = open(path, O_RDONLY);
    ssize_t length = file < 0 ? -1 : read(file, input, sizeof input - 1);
    if (length < 0) {
        say("cannot read the input\n");
        exit(2);
    }
    close(file);
    rest = strchr(input, ' ');
    rest = rest ? rest + 1 : "";
}

int main(int count, char **values) {
    argument_count = count;
    arguments = values;
    for (int i = 1; i < count; i++)
        if (strncmp(values[i], "--workspace=", 12) == 0)
            snprintf(result_path, sizeof result_path, "%s", values[i] + 12);
    if (count < 2) {
        say("fake_host: no arguments\n");
        return 64;
    }
    read_input(values[count - 1]);
    for (size_t i = 0; i < sizeof ACTIONS / sizeof *ACTIONS; i++) {
        size_t length = strlen(ACTIONS[i].word);
        if (strncmp(input, ACTIONS[i].word, length) == 0 && (unsigned char)input[length] <= ' ') {
            ACTIONS[i].act();
            return 0;
        }
    }
    say("fake_host: unknown action\n");
    return 65;
}
