/* ht by hand, forward: all angles at once. The Jacobian's columns: two for the points' own coordinates,
   three for the global rotation, three for the translation, then the fingers' angles.

   The transforms' derivatives by the angles lie innermost; those by a foreign finger's angles are zeros. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FINGERS = 5, ANGLES = 20, FIRST_BONE = 2, PARTS = 16 };

static double *memory;
static size_t room;

static double *reserved(size_t wanted)
{
    if (wanted > room) {
        free(memory);
        memory = malloc(wanted * sizeof *memory);
        room = wanted;
    }
    return memory;
}

typedef double Matrix[4][4];
typedef double Slopes[4][4][ANGLES];

/* The rotation about x by the first angle, then about z by the second, and its slopes by both. */
static void rotation_by(double ax, double az, double r[3][3], double by_x[3][3], double by_z[3][3])
{
    double cx = cos(ax), sx = sin(ax), cz = cos(az), sz = sin(az);
    double made[3][3] = {{cz, -sz * cx, sz * sx}, {sz, cz * cx, -cz * sx}, {0.0, sx, cx}};
    memcpy(r, made, sizeof made);
    for (int i = 0; i < 3; i++) {
        by_x[i][0] = 0.0;
        by_x[i][1] = r[i][2];
        by_x[i][2] = -r[i][1];
    }
    for (int j = 0; j < 3; j++) {
        by_z[0][j] = -r[1][j];
        by_z[1][j] = r[0][j];
        by_z[2][j] = 0.0;
    }
}

static void times(Matrix a, double r[3][3], double last, Matrix to)
{
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 3; j++)
            to[i][j] = a[i][0] * r[0][j] + a[i][1] * r[1][j] + a[i][2] * r[2][j];
        to[i][3] = last * a[i][3];
    }
}

static void multiplied(Matrix a, Matrix b, Matrix to)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            to[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j] + a[i][3] * b[3][j];
}

static void slopes_multiplied(Slopes a, Matrix b, Slopes to)
{
    memset(to, 0, sizeof(Slopes));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                for (int angle = 0; angle < ANGLES; angle++)
                    to[i][j][angle] += a[i][k][angle] * b[k][j];
}

/* Which angles move a bone itself: the first of its finger's, and how many; none for others. */
static int angles_of(ptrdiff_t bone, int *first)
{
    ptrdiff_t at = bone - FIRST_BONE, finger = at / 4, joint = at % 4;
    if (at < 0 || finger >= FINGERS || joint == 3)
        return 0;
    *first = (int)(4 * finger + (joint ? joint + 1 : 0));
    return joint ? 1 : 2;
}

/* Transforms of all bones, with slopes unless these are NULL. */
static void transforms(const double *theta, const int64_t *parents, Matrix *relatives,
                       Matrix *inverses, ptrdiff_t bones, Matrix *absolute, Matrix *transform,
                       Slopes *by_absolute, Slopes *by_transform)
{
    for (ptrdiff_t bone = 0; bone < bones; bone++) {
        Matrix relative, base, slope;
        double r[3][3], by[2][3][3];
        int first = 0, count = angles_of(bone, &first);
        const double *angles = theta + 6 + first;
        int64_t parent = parents[bone];
        rotation_by(count ? angles[0] : 0.0, count == 2 ? angles[1] : 0.0, r, by[0], by[1]);
        times(relatives[bone], r, 1.0, relative);
        if (parent < 0)
            memcpy(absolute[bone], relative, sizeof relative);
        else
            multiplied(absolute[parent], relative, absolute[bone]);
        multiplied(absolute[bone], inverses[bone], transform[bone]);
        if (!by_absolute)
            continue;
        if (parent < 0)
            memset(by_absolute[bone], 0, sizeof(Slopes));
        else
            slopes_multiplied(by_absolute[parent], relative, by_absolute[bone]);
        for (int own = 0; own < count; own++) {
            if (parent < 0)
                memcpy(base, relatives[bone], sizeof base);
            else
                multiplied(absolute[parent], relatives[bone], base);
            times(base, by[own], 0.0, slope);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    by_absolute[bone][i][j][first + own] += slope[i][j];
        }
        slopes_multiplied(by_absolute[bone], inverses[bone], by_transform[bone]);
    }
}

/* Rodrigues' matrix and its slopes by the axis; that of the smallest axes is one, as in the objective. */
static void rotation_about(const double *axis, double r[3][3], double by[3][3][3])
{
    double angle = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    memset(r, 0, 9 * sizeof(double));
    memset(by, 0, 27 * sizeof(double));
    if (angle < 1e-4) {
        r[0][0] = r[1][1] = r[2][2] = 1.0;
        return;
    }
    double n[3] = {axis[0] / angle, axis[1] / angle, axis[2] / angle};
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int k = 3 - i - j;
            double sign = i == j ? 0.0 : (j == (i + 1) % 3 ? -1.0 : 1.0);
            double same = i == j ? 1.0 : 0.0, third = i == j ? 0.0 : n[k];
            r[i][j] = same * c + (1.0 - c) * n[i] * n[j] + sign * s * third;
            double by_angle = -same * s + s * n[i] * n[j] + sign * c * third;
            for (int p = 0; p < 3; p++) {
                double di = ((p == i) - n[i] * n[p]) / angle, dj = ((p == j) - n[j] * n[p]) / angle;
                double dk = i == j ? 0.0 : ((p == k) - n[k] * n[p]) / angle;
                by[p][i][j] = by_angle * n[p] + (1.0 - c) * (di * n[j] + n[i] * dj) + sign * s * dk;
            }
        }
}

/* Where a vertex is before the global rotation, and its slopes by the angles unless NULL. */
static void skinned(Matrix *transform, Slopes *by_transform, const double *at,
                    const double *weights, ptrdiff_t bones, double *place, double slopes[3][ANGLES])
{
    memset(place, 0, 3 * sizeof *place);
    if (slopes)
        memset(slopes, 0, 3 * sizeof *slopes);
    for (ptrdiff_t bone = 0; bone < bones; bone++) {
        if (weights[bone] == 0.0)
            continue;
        double w[4] = {weights[bone] * at[0], weights[bone] * at[1], weights[bone] * at[2],
                       weights[bone] * at[3]};
        for (int i = 0; i < 3; i++) {
            double(*of)[ANGLES] = by_transform ? by_transform[bone][i] : NULL;
            double *row = transform[bone][i];
            place[i] += w[0] * row[0] + w[1] * row[1] + w[2] * row[2] + w[3] * row[3];
            if (slopes)
                for (int angle = 0; angle < ANGLES; angle++)
                    slopes[i][angle] += w[0] * of[0][angle] + w[1] * of[1][angle] +
                                        w[2] * of[2][angle] + w[3] * of[3][angle];
        }
    }
}

/* What lies innermost of a vertex: where it is, then its slopes by rotation and angles. */
enum { PLACE, BY_ROTATION, BY_ANGLES = BY_ROTATION + 3, NUMBERS = BY_ANGLES + ANGLES };

static void positions(const double *theta, const int64_t *parents, const double *relatives,
                      const double *inverses, const double *base, const double *weights,
                      ptrdiff_t bones, ptrdiff_t vertices, int mirrored, int with_slopes,
                      double *work, double *found)
{
    Matrix *absolute = (Matrix *)work, *transform = absolute + bones;
    Slopes *by_absolute = (Slopes *)(transform + bones), *by_transform = by_absolute + bones;
    double r[3][3], by_r[3][3][3], slopes[3][ANGLES], place[3];
    ptrdiff_t stride = with_slopes ? NUMBERS : 1;
    transforms(theta, parents, (Matrix *)relatives, (Matrix *)inverses, bones, absolute, transform,
               with_slopes ? by_absolute : NULL, by_transform);
    rotation_about(theta, r, by_r);
    for (ptrdiff_t vertex = 0; vertex < vertices; vertex++) {
        skinned(transform, with_slopes ? by_transform : NULL, base + 4 * vertex,
                weights + bones * vertex, bones, place, with_slopes ? slopes : NULL);
        if (mirrored)
            place[0] = -place[0];
        for (int i = 0; i < 3; i++) {
            double *to = found + (3 * vertex + i) * stride;
            to[0] = theta[3 + i] + r[i][0] * place[0] + r[i][1] * place[1] + r[i][2] * place[2];
            if (!with_slopes)
                continue;
            double first = mirrored ? -r[i][0] : r[i][0];
            for (int p = 0; p < 3; p++)
                to[BY_ROTATION + p] = by_r[p][i][0] * place[0] + by_r[p][i][1] * place[1] +
                                      by_r[p][i][2] * place[2];
            for (int angle = 0; angle < ANGLES; angle++)
                to[BY_ANGLES + angle] = first * slopes[0][angle] + r[i][1] * slopes[1][angle] +
                                        r[i][2] * slopes[2][angle];
        }
    }
}

static double *work_for(ptrdiff_t bones, ptrdiff_t vertices, double **found)
{
    size_t first = bones * (2 * PARTS + 2 * PARTS * ANGLES);
    double *work = reserved(first + vertices * 3 * NUMBERS);
    *found = work + first;
    return work;
}

void ht_primal(const double *theta, const double *us, const int64_t *parents,
               const double *relatives, const double *inverses, const double *base,
               const double *weights, const double *points, const int64_t *seen,
               const int64_t *triangles, ptrdiff_t bones, ptrdiff_t vertices, ptrdiff_t count,
               ptrdiff_t mirrored, double *out)
{
    double *found, *work = work_for(bones, vertices, &found);
    positions(theta, parents, relatives, inverses, base, weights, bones, vertices, (int)mirrored, 0,
              work, found);
    for (ptrdiff_t i = 0; i < count; i++) {
        const int64_t *corner = triangles + 3 * seen[i];
        double u = us[2 * i], v = us[2 * i + 1];
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = points[3 * i + j] - u * found[3 * corner[0] + j] -
                             v * found[3 * corner[1] + j] - (1.0 - u - v) * found[3 * corner[2] + j];
    }
}

void ht_gradient(const double *theta, const double *us, const int64_t *parents,
                 const double *relatives, const double *inverses, const double *base,
                 const double *weights, const double *points, const int64_t *seen,
                 const int64_t *triangles, ptrdiff_t bones, ptrdiff_t vertices, ptrdiff_t count,
                 ptrdiff_t mirrored, double *columns)
{
    double *found, *work = work_for(bones, vertices, &found);
    ptrdiff_t rows = 3 * count;
    (void)points;
    positions(theta, parents, relatives, inverses, base, weights, bones, vertices, (int)mirrored, 1,
              work, found);
    for (ptrdiff_t i = 0; i < count; i++) {
        const int64_t *corner = triangles + 3 * seen[i];
        double u = us[2 * i], v = us[2 * i + 1], w = 1.0 - u - v;
        for (int j = 0; j < 3; j++) {
            const double *a = found + (3 * corner[0] + j) * NUMBERS;
            const double *b = found + (3 * corner[1] + j) * NUMBERS;
            const double *c = found + (3 * corner[2] + j) * NUMBERS;
            double *to = columns + 3 * i + j;
            to[0] = c[PLACE] - a[PLACE];
            to[rows] = c[PLACE] - b[PLACE];
            for (int p = 0; p < 3; p++) {
                ptrdiff_t at = BY_ROTATION + p;
                to[(2 + p) * rows] = -u * a[at] - v * b[at] - w * c[at];
                to[(5 + p) * rows] = p == j ? -1.0 : 0.0;
            }
            for (ptrdiff_t p = 0; p < ANGLES; p++)
                to[(8 + p) * rows] = -u * a[BY_ANGLES + p] - v * b[BY_ANGLES + p] - w * c[BY_ANGLES + p];
        }
    }
}
