/* Fit a decaying oscillation in C, by the gradient that examples/gradient_for_c.py has written for it. */
#include <math.h>
#include <stdio.h>

#include "oscillation.h"

enum { POINTS = 50 };

int main(void) {
    double times[POINTS], seen[POINTS], parameters[3] = {0.8, 0.4, 2.8}, gradient[3], misfit;
    for (int i = 0; i < POINTS; i++) {
        times[i] = 0.1 * i;
        seen[i] = exp(-0.3 * times[i]) * cos(3.0 * times[i]);
    }
    for (int step = 0; step < 2000; step++) {
        int status = misfit_and_gradient(parameters, 3, times, POINTS, seen, POINTS, &misfit, gradient, 3);
        if (status != 0) return 1;
        for (int k = 0; k < 3; k++) parameters[k] -= 0.02 * gradient[k];
    }
    printf("size %.6f decay %.6f frequency %.6f, misfit %.1e\n", parameters[0], parameters[1], parameters[2], misfit);
    double none[1] = {0.0};
    printf("without data the status is %d\n", misfit_and_gradient(parameters, 3, none, 0, none, 0, &misfit, gradient, 3));
    return misfit > 1e-12;
}
