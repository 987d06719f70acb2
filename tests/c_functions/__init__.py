"""The mathematical functions of C, each linked by `link_ir` and differentiated: `python -m tests.c_functions`.

    double kernel(const double *x) { number a = x[0]; return sinf(a); }      number: double, float, long double

A function is asked three times for each type of numbers: as a call (`-fno-builtin`), as what clang makes of it (intrinsics), and
unoptimised. The value, the slopes and all second derivatives are those of differences of the C library's own function in `long
double`: a second opinion that no rule of ours or Enzyme's has a part in.
"""
