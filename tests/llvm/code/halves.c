_Float16 half(_Float16 a, _Float16 b) { return a * b + (_Float16)1.5; }
long double wide(long double a) { return a * 3.25L + 1; }
float widened(_Float16 a) { return a; }
__fp16 stored;
double _Complex product(double _Complex a, double _Complex b) { return a * b / (1 + 2.0i); }
float nan_(void) { return __builtin_nanf(""); }
double infinite(void) { return -__builtin_inf(); }
__int128 large(__int128 a) { return a * a + (((__int128)1) << 100); }
