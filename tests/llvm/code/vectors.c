typedef double Doubles __attribute__((vector_size(32)));
typedef int Integers __attribute__((vector_size(16)));

Doubles axpy(double a, Doubles x, Doubles y) { return a * x + y; }
Integers compared(Integers a, Integers b) { return a < b; }
Doubles shuffled(Doubles a, Doubles b) { return __builtin_shufflevector(a, b, 0, 5, 2, 7); }
double taken(Doubles a, int i) { return a[i]; }
Doubles put(Doubles a, int i, double x) { a[i] = x; return a; }
Integers less(Integers a) { return -a & 15; }
