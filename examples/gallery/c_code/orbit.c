/* How fast a star moves to and fro that a planet pulls at; examples/gallery/c_orbit.py differentiates it.

   clang -g0 -O1 -fno-vectorize -fno-slp-vectorize -S -emit-llvm orbit.c -o orbit.ll */
#include <math.h>

/* Kepler's equation E - e sin(E) = M, by Newton's method. */
static double eccentric_anomaly(double mean, double e) {
    double at = mean + e * sin(mean);
    for (int i = 0; i < 50; i++) {
        double change = (at - e * sin(at) - mean) / (1.0 - e * cos(at));
        at -= change;
        if (fabs(change) < 1e-14)
            break;
    }
    return at;
}

/* p: half the swing (m/s), period (days), time of the nearest point, eccentricity, its direction, mean velocity. */
void velocities(const double *p, const double *times, double *out, long count) {
    double root = sqrt((1.0 + p[3]) / (1.0 - p[3]));
    for (long i = 0; i < count; i++) {
        double mean = 2.0 * 3.14159265358979323846 * (times[i] - p[2]) / p[1];
        double turned = eccentric_anomaly(mean, p[3]);
        double angle = 2.0 * atan2(root * sin(0.5 * turned), cos(0.5 * turned));
        out[i] = p[0] * (cos(angle + p[4]) + p[3] * cos(p[4])) + p[5];
    }
}
