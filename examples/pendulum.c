/* The angle of a pendulum after some steps; examples/pendulum_in_c.py differentiates it. */
#include <math.h>

static double pull(double angle) { return -sin(angle); }

double final_angle(double angle, double rate, long steps) {
    for (long i = 0; i < steps; i++) {
        rate += 0.01 * pull(angle);
        angle += 0.01 * rate;
    }
    return angle;
}
