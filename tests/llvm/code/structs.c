struct Point { double x, y; int k; char name[3]; };
struct Line { struct Point points[4]; struct Line *next; union { int i; float f; } either; unsigned b : 3, c : 9; };

double sum(struct Line line) {
    double total = 0;
    for (int i = 0; i < 4; i++) total += line.points[i].x * line.points[i].k;
    return total + line.either.f + line.b;
}

struct Point made(double x) {
    struct Point point = {x, 2 * x, 3, "ab"};
    return point;
}

void linked(struct Line *a, struct Line *b) {
    a->next = b;
    a->c = b->b;
    *a = *b;
}
