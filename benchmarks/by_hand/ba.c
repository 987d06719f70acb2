/* ba by hand: the two rows of an observation from one rotation and its chain rule. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { CAMERA = 11, POINT = 3, COLUMNS = CAMERA + POINT + 1 };

typedef struct {
    double n[3], angle, c, s; /* an axis of length one, or with an angle of zero the axis itself */
} Rotation;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *to)
{
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

static Rotation rotation_of(const double *axis)
{
    Rotation r = {{axis[0], axis[1], axis[2]}, sqrt(dot(axis, axis)), 1.0, 0.0};
    if (r.angle == 0.0)
        return r;
    for (int i = 0; i < 3; i++)
        r.n[i] /= r.angle;
    r.c = cos(r.angle);
    r.s = sin(r.angle);
    return r;
}

static void rotated(const Rotation *r, const double *y, double *to)
{
    double crossed[3], s = r->angle == 0.0 ? 1.0 : r->s;
    double along = (1.0 - r->c) * dot(r->n, y);
    cross(r->n, y, crossed);
    for (int i = 0; i < 3; i++)
        to[i] = y[i] * r->c + crossed[i] * s + r->n[i] * along;
}

/* From g, the adjoint of the rotated y, those of y and of the axis. */
static void rotated_backward(const Rotation *r, const double *y, const double *g, double *by_y,
                             double *by_axis)
{
    double axis_g[3], y_g[3], s = r->angle == 0.0 ? 1.0 : r->s;
    double n_g = dot(r->n, g), n_y = dot(r->n, y), rest = 1.0 - r->c;
    cross(r->n, g, axis_g);
    cross(y, g, y_g);
    for (int i = 0; i < 3; i++)
        by_y[i] = g[i] * r->c - axis_g[i] * s + r->n[i] * n_g * rest;
    if (r->angle == 0.0) {
        for (int i = 0; i < 3; i++)
            by_axis[i] = y_g[i];
        return;
    }
    double by_angle = -r->s * dot(g, y) + r->c * dot(r->n, y_g) + r->s * n_g * n_y;
    double by_n[3];
    for (int i = 0; i < 3; i++)
        by_n[i] = r->s * y_g[i] + rest * (g[i] * n_y + n_g * y[i]);
    double along = dot(r->n, by_n);
    for (int i = 0; i < 3; i++)
        by_axis[i] = by_angle * r->n[i] + (by_n[i] - r->n[i] * along) / r->angle;
}

void ba_primal(const double *cameras, const double *points, const double *weights,
               const int64_t *seen, const double *features, ptrdiff_t n, ptrdiff_t m, ptrdiff_t p,
               double *errors, double *of_weights)
{
    (void)n, (void)m;
    for (ptrdiff_t i = 0; i < p; i++) {
        const double *camera = cameras + CAMERA * seen[2 * i], *point = points + POINT * seen[2 * i + 1];
        double y[3], at[3];
        Rotation r = rotation_of(camera);
        for (int j = 0; j < 3; j++)
            y[j] = point[j] - camera[3 + j];
        rotated(&r, y, at);
        double u = at[0] / at[2], v = at[1] / at[2], radius = u * u + v * v;
        double distortion = 1.0 + camera[9] * radius + camera[10] * radius * radius;
        errors[2 * i] = weights[i] * (u * distortion * camera[6] + camera[7] - features[2 * i]);
        errors[2 * i + 1] = weights[i] * (v * distortion * camera[6] + camera[8] - features[2 * i + 1]);
        of_weights[i] = 1.0 - weights[i] * weights[i];
    }
}

static void observation(const double *camera, const double *point, double w, const double *feature,
                        double *values)
{
    double y[3], at[3];
    Rotation r = rotation_of(camera);
    for (int j = 0; j < 3; j++)
        y[j] = point[j] - camera[3 + j];
    rotated(&r, y, at);
    double near = 1.0 / at[2], seen[2] = {at[0] * near, at[1] * near};
    double radius = seen[0] * seen[0] + seen[1] * seen[1], focal = camera[6];
    double distortion = 1.0 + (camera[9] + camera[10] * radius) * radius;
    double slope = 2.0 * (camera[9] + 2.0 * camera[10] * radius);
    for (int row = 0; row < 2; row++) {
        double *to = values + row * COLUMNS, g[3], by_seen[2], by_y[3];
        double scaled = w * focal * seen[row];
        for (int k = 0; k < 2; k++)
            by_seen[k] = scaled * slope * seen[k];
        by_seen[row] += w * focal * distortion;
        g[0] = by_seen[0] * near;
        g[1] = by_seen[1] * near;
        g[2] = -(g[0] * seen[0] + g[1] * seen[1]);
        rotated_backward(&r, y, g, by_y, to);
        for (int j = 0; j < 3; j++) {
            to[3 + j] = -by_y[j];
            to[CAMERA + j] = by_y[j];
        }
        to[6] = w * seen[row] * distortion;
        to[7] = row == 0 ? w : 0.0;
        to[8] = row == 1 ? w : 0.0;
        to[9] = scaled * radius;
        to[10] = scaled * radius * radius;
        to[14] = seen[row] * distortion * focal + camera[7 + row] - feature[row];
    }
}

void ba_gradient(const double *cameras, const double *points, const double *weights,
                 const int64_t *seen, const double *features, ptrdiff_t n, ptrdiff_t m,
                 ptrdiff_t p, int64_t *starts, int64_t *columns, double *values)
{
    int64_t behind_cameras = CAMERA * n, behind_points = behind_cameras + POINT * m;
    for (ptrdiff_t i = 0; i < p; i++) {
        int64_t camera = seen[2 * i], point = seen[2 * i + 1], at = 2 * COLUMNS * i;
        observation(cameras + CAMERA * camera, points + POINT * point, weights[i], features + 2 * i,
                    values + at);
        for (int row = 0; row < 2; row++) {
            int64_t *to = columns + at + row * COLUMNS;
            starts[2 * i + row] = at + row * COLUMNS;
            for (int j = 0; j < CAMERA; j++)
                to[j] = CAMERA * camera + j;
            for (int j = 0; j < POINT; j++)
                to[CAMERA + j] = behind_cameras + POINT * point + j;
            to[CAMERA + POINT] = behind_points + i;
        }
    }
    for (ptrdiff_t i = 0; i < p; i++) {
        starts[2 * p + i] = 2 * COLUMNS * p + i;
        columns[2 * COLUMNS * p + i] = behind_points + i;
        values[2 * COLUMNS * p + i] = -2.0 * weights[i];
    }
    starts[3 * p] = (2 * COLUMNS + 1) * p;
}
