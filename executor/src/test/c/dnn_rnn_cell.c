// The cells of the null cuDNN's recurrent layers and their gradients.
#include "dnn_rnn.h"

#include <string.h>

static double sigmoid(double v) { return 1 / (1 + exp(-v)); }

static double row_product(const double *matrix, int row, int columns, const double *vector) {
    double sum = 0;
    for (int i = 0; i < columns; i++) sum += matrix[(int64_t)row * columns + i] * vector[i];
    return sum;
}

// The input's and the state's part of a gate before its activation.
static void parts(const struct pass *p, int pseudo, int gate, int unit, const double *x, const double *h, double *from_x,
                  double *from_h) {
    const struct rnn *r = p->r;
    int width = rnn_width(r, pseudo / r->directions);
    *from_x = row_product(p->weights + rnn_matrix(r, pseudo, gate), unit, width, x);
    *from_h = row_product(p->weights + rnn_matrix(r, pseudo, p->gates + gate), unit, p->output, h);
    if (r->biases) {
        *from_x += p->weights[rnn_bias(r, pseudo, gate) + unit];
        *from_h += p->weights[rnn_bias(r, pseudo, p->gates + gate) + unit];
    }
}

void rnn_cell(const struct pass *p, int pseudo, int64_t row, const double *x, const double *h, const double *c) {
    double *gate = gates_of(p, pseudo) + row * p->gates * p->hidden;
    double *out = outputs_of(p, pseudo) + row * p->output, *state = states_of(p, pseudo) + row * p->hidden;
    double *shown = rnn_projects(p->r) ? shown_of(p, pseudo) + row * p->hidden : out;
    for (int u = 0; u < p->hidden; u++) {
        double a[4], b[4];
        for (int g = 0; g < p->gates; g++) parts(p, pseudo, g, u, x, h, &a[g], &b[g]);
        if (p->r->cell == CELL_RELU || p->r->cell == CELL_TANH) {
            double v = a[0] + b[0];
            out[u] = gate[u] = p->r->cell == CELL_TANH ? tanh(v) : v > 0 ? v : 0;
        } else if (p->r->cell == CELL_GRU) {
            double reset = sigmoid(a[0] + b[0]), update = sigmoid(a[1] + b[1]), candidate = tanh(a[2] + reset * b[2]);
            gate[u] = reset, gate[p->hidden + u] = update, gate[2 * p->hidden + u] = candidate;
            state[u] = b[2];
            out[u] = (1 - update) * candidate + update * h[u];
        } else {
            double in = sigmoid(a[0] + b[0]), forget = sigmoid(a[1] + b[1]), new = tanh(a[2] + b[2]);
            double open = sigmoid(a[3] + b[3]);
            gate[u] = in, gate[p->hidden + u] = forget, gate[2 * p->hidden + u] = new, gate[3 * p->hidden + u] = open;
            state[u] = forget * c[u] + in * new;
            shown[u] = open * tanh(state[u]);
        }
    }
    for (int j = 0; rnn_projects(p->r) && j < p->output; j++)
        out[j] = row_product(p->weights + rnn_matrix(p->r, pseudo, 2 * p->gates), j, p->hidden, shown);
}

// The gradient of what a cell shows, from that of its output, which is noted for the projection's weights.
static void through_projection(const struct pass *p, int pseudo, int64_t row, const double *dh, double *shown) {
    memcpy(gradient_of(p, pseudo) + row * p->output, dh, p->output * sizeof *dh);
    const double *matrix = p->weights + rnn_matrix(p->r, pseudo, 2 * p->gates);
    for (int u = 0; u < p->hidden; u++) {
        shown[u] = 0;
        for (int j = 0; j < p->output; j++) shown[u] += matrix[j * p->hidden + u] * dh[j];
    }
}

void rnn_cell_gradient(const struct pass *p, int pseudo, int64_t row, const double *h, const double *c, double *dh,
                          double *dc) {
    int n = p->hidden;
    double *gate = gates_of(p, pseudo) + row * p->gates * n;
    double *out = outputs_of(p, pseudo) + row * p->output, *state = states_of(p, pseudo) + row * n;
    double of_shown[n];
    if (rnn_projects(p->r)) through_projection(p, pseudo, row, dh, of_shown);
    else memcpy(of_shown, dh, sizeof of_shown);
    for (int u = 0; u < n; u++) {
        double d = of_shown[u];
        if (p->r->cell == CELL_RELU || p->r->cell == CELL_TANH) {
            gate[u] = p->r->cell == CELL_TANH ? d * (1 - out[u] * out[u]) : out[u] > 0 ? d : 0;
            dh[u] = 0;
        } else if (p->r->cell == CELL_GRU) {
            double reset = gate[u], update = gate[n + u], candidate = gate[2 * n + u];
            double dn = d * (1 - update) * (1 - candidate * candidate);
            gate[u] = dn * state[u] * reset * (1 - reset);
            gate[n + u] = d * (h[u] - candidate) * update * (1 - update);
            gate[2 * n + u] = dn;
            state[u] = dn * reset;
            dh[u] = d * update;
        } else {
            double in = gate[u], forget = gate[n + u], new = gate[2 * n + u], open = gate[3 * n + u];
            double shown = tanh(state[u]), all = dc[u] + d * open * (1 - shown * shown);
            gate[u] = all * new * in * (1 - in);
            gate[n + u] = all * c[u] * forget * (1 - forget);
            gate[2 * n + u] = all * in * (1 - new * new);
            gate[3 * n + u] = d * shown * open * (1 - open);
            dc[u] = all * forget;
        }
    }
    if (p->r->cell == CELL_LSTM) memset(dh, 0, p->output * sizeof *dh);
}

double rnn_state_gradient(const struct pass *p, int pseudo, int64_t row, int gate, int unit) {
    if (p->r->cell == CELL_GRU && gate == 2) return states_of(p, pseudo)[row * p->hidden + unit];
    return gates_of(p, pseudo)[(row * p->gates + gate) * p->hidden + unit];
}

void rnn_through_weights(const struct pass *p, int pseudo, int64_t row, double *dh, double *dx) {
    const struct rnn *r = p->r;
    int width = rnn_width(r, pseudo / r->directions);
    for (int g = 0; g < p->gates; g++) {
        const double *of_x = p->weights + rnn_matrix(r, pseudo, g), *of_h = p->weights + rnn_matrix(r, pseudo, p->gates + g);
        for (int u = 0; u < p->hidden; u++) {
            double d = gates_of(p, pseudo)[(row * p->gates + g) * p->hidden + u];
            double e = rnn_state_gradient(p, pseudo, row, g, u);
            for (int i = 0; i < width; i++) dx[i] += d * of_x[u * width + i];
            for (int i = 0; i < p->output; i++) dh[i] += e * of_h[u * p->output + i];
        }
    }
}
