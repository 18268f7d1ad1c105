// Steps of recurrent networks, a thread for each of the batch's units. T0 is the type of all tensors. Biases may be null.

static inline __device__ real sigmoid(real x) {
    return 1 / (1 + exp(-x));
}

static inline __device__ real biased(const View<T0> &gates, int64_t row, int64_t unit, const T0 *bias) {
    return (real)gates.at(row, unit) + (bias ? (real)bias[unit] : (real)0);
}

extern "C" __global__ void gru_cell(
    int64_t batch,
    int64_t n,
    View<T0> hy,
    View<T0> kept,
    View<T0> input_gates,
    View<T0> hidden_gates,
    View<T0> hx,
    const T0 *input_bias,
    const T0 *hidden_bias) {
    int64_t at = thread_number();
    if (at >= batch * n) {
        return;
    }
    int64_t row = at / n, u = at % n;
    real x[3], h[3];
    for (int g = 0; g < 3; g++) {
        x[g] = biased(input_gates, row, g * n + u, input_bias);
        h[g] = biased(hidden_gates, row, g * n + u, hidden_bias);
    }
    real reset = sigmoid(x[0] + h[0]);
    real update = sigmoid(x[1] + h[1]);
    real candidate = tanh(x[2] + reset * h[2]);
    real before = (real)hx.at(row, u);
    hy.at(row, u) = Element<T0>::of(candidate + update * (before - candidate));
    real values[5] = {reset, update, candidate, before, h[2]};
    for (int k = 0; k < 5; k++) {
        kept.at(row, k * n + u) = Element<T0>::of(values[k]);
    }
}

extern "C" __global__ void gru_cell_gradient(
    int64_t batch, int64_t n, View<T0> d_input, View<T0> d_hidden, View<T0> d_before, View<T0> g, View<T0> kept) {
    int64_t at = thread_number();
    if (at >= batch * n) {
        return;
    }
    int64_t row = at / n, u = at % n;
    real d = (real)g.at(row, u);
    real reset = (real)kept.at(row, u), update = (real)kept.at(row, n + u), candidate = (real)kept.at(row, 2 * n + u);
    real d_candidate = d * (1 - update) * (1 - candidate * candidate);
    real d_reset = d_candidate * (real)kept.at(row, 4 * n + u) * reset * (1 - reset);
    real d_update = d * ((real)kept.at(row, 3 * n + u) - candidate) * update * (1 - update);
    d_input.at(row, u) = Element<T0>::of(d_reset);
    d_input.at(row, n + u) = Element<T0>::of(d_update);
    d_input.at(row, 2 * n + u) = Element<T0>::of(d_candidate);
    d_hidden.at(row, u) = Element<T0>::of(d_reset);
    d_hidden.at(row, n + u) = Element<T0>::of(d_update);
    d_hidden.at(row, 2 * n + u) = Element<T0>::of(d_candidate * reset);
    d_before.at(row, u) = Element<T0>::of(d * update);
}

extern "C" __global__ void lstm_cell(
    int64_t batch,
    int64_t n,
    View<T0> hy,
    View<T0> cy,
    View<T0> kept,
    View<T0> input_gates,
    View<T0> hidden_gates,
    View<T0> cx,
    const T0 *input_bias,
    const T0 *hidden_bias) {
    int64_t at = thread_number();
    if (at >= batch * n) {
        return;
    }
    int64_t row = at / n, u = at % n;
    real gate[4];
    for (int g = 0; g < 4; g++) {
        real sum = biased(input_gates, row, g * n + u, input_bias) + biased(hidden_gates, row, g * n + u, hidden_bias);
        gate[g] = g == 2 ? (real)tanh(sum) : sigmoid(sum);
        kept.at(row, g * n + u) = Element<T0>::of(gate[g]);
    }
    real cell = gate[1] * (real)cx.at(row, u) + gate[0] * gate[2];
    cy.at(row, u) = Element<T0>::of(cell);
    hy.at(row, u) = Element<T0>::of(gate[3] * (real)tanh(cell));
}

// Gradients that nobody has come as views of nothing.
extern "C" __global__ void lstm_cell_gradient(
    int64_t batch,
    int64_t n,
    View<T0> d_gates,
    View<T0> d_before,
    View<T0> d_state,
    View<T0> d_cell,
    View<T0> cx,
    View<T0> cy,
    View<T0> kept) {
    int64_t at = thread_number();
    if (at >= batch * n) {
        return;
    }
    int64_t row = at / n, u = at % n;
    real in = (real)kept.at(row, u), forget = (real)kept.at(row, n + u);
    real candidate = (real)kept.at(row, 2 * n + u), show = (real)kept.at(row, 3 * n + u);
    real d = d_state.data ? (real)d_state.at(row, u) : (real)0;
    real squashed = tanh((real)cy.at(row, u));
    real dc = (d_cell.data ? (real)d_cell.at(row, u) : (real)0) + d * show * (1 - squashed * squashed);
    d_gates.at(row, u) = Element<T0>::of(dc * candidate * in * (1 - in));
    d_gates.at(row, n + u) = Element<T0>::of(dc * (real)cx.at(row, u) * forget * (1 - forget));
    d_gates.at(row, 2 * n + u) = Element<T0>::of(dc * in * (1 - candidate * candidate));
    d_gates.at(row, 3 * n + u) = Element<T0>::of(d * squashed * show * (1 - show));
    d_before.at(row, u) = Element<T0>::of(dc * forget);
}
