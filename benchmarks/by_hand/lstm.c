/* lstm by hand: the gates and states of every step and layer are kept for the backward sweep. */

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What is kept of one layer at one step: b numbers of each. */
enum { GIVEN, HIDDEN, CELL, FORGET, INGATE, OUTGATE, CHANGE, SQUASHED, KEPT };

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

static double sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

/* One layer; weight and bias hold four gates, one behind the other. */
static void layer_forward(const double *weight, const double *bias, ptrdiff_t b, double *hidden,
                          double *cell, const double *given, double *kept)
{
    for (ptrdiff_t i = 0; i < b; i++) {
        double forget = sigmoid(given[i] * weight[i] + bias[i]);
        double ingate = sigmoid(hidden[i] * weight[b + i] + bias[b + i]);
        double outgate = sigmoid(given[i] * weight[2 * b + i] + bias[2 * b + i]);
        double change = tanh(hidden[i] * weight[3 * b + i] + bias[3 * b + i]);
        double next = cell[i] * forget + ingate * change, squashed = tanh(next);
        if (kept) {
            kept[GIVEN * b + i] = given[i];
            kept[HIDDEN * b + i] = hidden[i];
            kept[CELL * b + i] = cell[i];
            kept[FORGET * b + i] = forget;
            kept[INGATE * b + i] = ingate;
            kept[OUTGATE * b + i] = outgate;
            kept[CHANGE * b + i] = change;
            kept[SQUASHED * b + i] = squashed;
        }
        cell[i] = next;
        hidden[i] = outgate * squashed;
    }
}

static void layer_backward(const double *restrict weight, ptrdiff_t b, const double *restrict kept,
                           double *restrict by_hidden, double *restrict by_cell,
                           double *restrict by_given, double *restrict by_weight,
                           double *restrict by_bias)
{
    for (ptrdiff_t i = 0; i < b; i++) {
        double forget = kept[FORGET * b + i], ingate = kept[INGATE * b + i];
        double outgate = kept[OUTGATE * b + i], change = kept[CHANGE * b + i];
        double squashed = kept[SQUASHED * b + i];
        double next = by_cell[i] + by_hidden[i] * outgate * (1.0 - squashed * squashed);
        double f = next * kept[CELL * b + i] * forget * (1.0 - forget);
        double g = next * change * ingate * (1.0 - ingate);
        double o = by_hidden[i] * squashed * outgate * (1.0 - outgate);
        double c = next * ingate * (1.0 - change * change);
        double given = kept[GIVEN * b + i], hidden = kept[HIDDEN * b + i];
        by_cell[i] = next * forget;
        by_given[i] = f * weight[i] + o * weight[2 * b + i];
        by_hidden[i] = g * weight[b + i] + c * weight[3 * b + i];
        by_weight[i] += f * given;
        by_weight[b + i] += g * hidden;
        by_weight[2 * b + i] += o * given;
        by_weight[3 * b + i] += c * hidden;
        by_bias[i] += f;
        by_bias[b + i] += g;
        by_bias[2 * b + i] += o;
        by_bias[3 * b + i] += c;
    }
}

/* The steps' losses; kept holds, of each step, the layers, the exponentials and their share's divisor. */
static double forward(const double *main, const double *extra, const double *start,
                      const double *sequence, ptrdiff_t layers, ptrdiff_t b, ptrdiff_t length,
                      double *state, double *prediction, double *kept)
{
    ptrdiff_t of_step = layers * KEPT * b + 2 * b + 1;
    double total = 0.0;
    memcpy(state, start, 2 * layers * b * sizeof *state);
    for (ptrdiff_t t = 0; t + 1 < length; t++) {
        double *now = kept ? kept + t * of_step : NULL;
        const double *given = prediction;
        for (ptrdiff_t i = 0; i < b; i++)
            prediction[i] = sequence[t * b + i] * extra[i];
        for (ptrdiff_t layer = 0; layer < layers; layer++) {
            double *hidden = state + 2 * layer * b;
            const double *weight = main + 2 * layer * 4 * b;
            layer_forward(weight, weight + 4 * b, b, hidden, hidden + b, given,
                          now ? now + layer * KEPT * b : NULL);
            given = hidden;
        }
        double exponentials = 2.0, expected = 0.0, share = 0.0;
        double *last = now ? now + layers * KEPT * b : NULL;
        for (ptrdiff_t i = 0; i < b; i++) {
            double made = given[i] * extra[b + i] + extra[2 * b + i], power = exp(made);
            exponentials += power;
            expected += sequence[(t + 1) * b + i] * made;
            share += sequence[(t + 1) * b + i];
            if (last) {
                last[i] = given[i];
                last[b + i] = power;
            }
        }
        if (last)
            last[2 * b] = share / exponentials;
        total += expected - share * log(exponentials);
    }
    return -total / ((length - 1) * b);
}

double lstm_primal(const double *main, const double *extra, const double *start,
                   const double *sequence, ptrdiff_t layers, ptrdiff_t b, ptrdiff_t length)
{
    double *state = reserved((2 * layers + 1) * b);
    return forward(main, extra, start, sequence, layers, b, length, state, state + 2 * layers * b,
                   NULL);
}

void lstm_gradient(const double *main, const double *extra, const double *start,
                   const double *sequence, ptrdiff_t layers, ptrdiff_t b, ptrdiff_t length,
                   double *by_main, double *by_extra)
{
    ptrdiff_t of_step = layers * KEPT * b + 2 * b + 1;
    double *by_state = reserved((4 * layers + 2) * b + (length - 1) * of_step);
    double *by_given = by_state + 2 * layers * b, *state = by_given + b;
    double *kept = state + (2 * layers + 1) * b, scale = -1.0 / ((length - 1) * b);
    forward(main, extra, start, sequence, layers, b, length, state, state + 2 * layers * b, kept);
    memset(by_main, 0, 2 * layers * 4 * b * sizeof *by_main);
    memset(by_extra, 0, 3 * b * sizeof *by_extra);
    memset(by_state, 0, 2 * layers * b * sizeof *by_state);
    for (ptrdiff_t t = length - 2; t >= 0; t--) {
        const double *now = kept + t * of_step, *last = now + layers * KEPT * b;
        for (ptrdiff_t i = 0; i < b; i++) {
            double made = scale * (sequence[(t + 1) * b + i] - last[2 * b] * last[b + i]);
            by_extra[b + i] += made * last[i];
            by_extra[2 * b + i] += made;
            by_given[i] = made * extra[b + i];
        }
        for (ptrdiff_t layer = layers - 1; layer >= 0; layer--) {
            double *by_hidden = by_state + 2 * layer * b, *by_weight = by_main + 2 * layer * 4 * b;
            for (ptrdiff_t i = 0; i < b; i++)
                by_hidden[i] += by_given[i];
            layer_backward(main + 2 * layer * 4 * b, b, now + layer * KEPT * b, by_hidden,
                           by_hidden + b, by_given, by_weight, by_weight + 4 * b);
        }
        for (ptrdiff_t i = 0; i < b; i++)
            by_extra[i] += by_given[i] * sequence[t * b + i];
    }
}
