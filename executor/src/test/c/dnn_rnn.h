// One pass through the null cuDNN's recurrent layers.
#ifndef DNN_RNN_H
#define DNN_RNN_H

#include "dnn.h"

// One pass. Everything is double while it runs.
struct pass {
    const struct rnn *r;
    int steps, batch, gates, hidden, output;
    int64_t rows;  // steps * batch
    double *weights, *kept;
};

static inline double *gates_of(const struct pass *p, int pseudo) {
    return p->kept + pseudo * p->rows * rnn_row(p->r);
}
static inline double *outputs_of(const struct pass *p, int pseudo) {
    return gates_of(p, pseudo) + p->rows * p->hidden * p->gates;
}
static inline double *states_of(const struct pass *p, int pseudo) { return outputs_of(p, pseudo) + p->rows * p->output; }
// With a projection: what is projected, and the gradient of what comes out.
static inline double *shown_of(const struct pass *p, int pseudo) { return states_of(p, pseudo) + p->rows * p->hidden; }
static inline double *gradient_of(const struct pass *p, int pseudo) { return shown_of(p, pseudo) + p->rows * p->hidden; }

// One cell: from input, state and cell before, of one sequence at one step, the new ones. row is that of the step.
void rnn_cell(const struct pass *p, int pseudo, int64_t row, const double *x, const double *h, const double *c);

// The gradients of one cell's gates, in their places, from that of its output. dh and dc become those of the state and
// cell before, without what goes through the gates.
void rnn_cell_gradient(const struct pass *p, int pseudo, int64_t row, const double *h, const double *c, double *dh,
                       double *dc);

// The gradient that a gate passes to the state's part: a GRU's candidate has another one there.
double rnn_state_gradient(const struct pass *p, int pseudo, int64_t row, int gate, int unit);

// Adds what goes through a cell's gates to the gradients of its state and input.
void rnn_through_weights(const struct pass *p, int pseudo, int64_t row, double *dh, double *dx);

#endif
