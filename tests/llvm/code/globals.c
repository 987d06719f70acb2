struct Row { int a; double d; const char *s; int (*f)(int); };
static int twice(int x) { return 2 * x; }
struct Row table[] = {{1, 2.5, "a", twice}, {2, -0.1, "b\\\"", 0}};
int zero[100];
const double numbers[3] = {3.14, 1e300, -0.0};
static struct Row *last = &table[1];
extern int elsewhere;
int *there = &elsewhere;
__thread int own = 5;
__attribute__((weak)) int weak;
static const char message[] = "100% @home\x01\xff";
__attribute__((section("mine"), aligned(64), used)) static int placed = 3;
int used(int i) {
    return table[i].f(i) + zero[i] + last->a + own + weak + message[i] + (long)&table[1].d;
}
int other_name(int) __attribute__((alias("used")));
__attribute__((constructor)) void first(void) { own = 9; last = table; }
