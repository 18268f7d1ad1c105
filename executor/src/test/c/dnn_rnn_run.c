// Recurrent layers of the null cuDNN. The reserve of a pseudo-layer holds its gates, its outputs and one more state (the
// cell of an LSTM, the state's part of a GRU's candidate), each for all steps and sequences. The backward pass over the
// data puts the gradients of the gates in their place, which is all that the one over the weights needs.
#include "dnn_rnn.h"

#include <stdlib.h>
#include <string.h>

static double *numbers(const void *data, int64_t count, int type) {
    double *values = calloc(count ? count : 1, sizeof *values);
    for (int64_t i = 0; data && i < count; i++) values[i] = get_number(data, i, type);
    return values;
}

static void store(void *data, const double *values, int64_t count, int type) {
    for (int64_t i = 0; data && i < count; i++) put_number(data, i, type, values[i]);
}

static int64_t row_at(const struct pass *p, int pseudo, int step, int sequence) {
    int backwards = pseudo % p->r->directions;
    return (int64_t)(backwards ? p->steps - 1 - step : step) * p->batch + sequence;
}

// The outputs of a layer's directions side by side.
static double *joined(const struct pass *p, int layer) {
    int directions = p->r->directions;
    double *all = malloc(p->rows * directions * p->output * sizeof *all);
    for (int64_t row = 0; row < p->rows; row++)
        for (int d = 0; d < directions; d++)
            memcpy(all + (row * directions + d) * p->output,
                   outputs_of(p, layer * directions + d) + row * p->output, p->output * sizeof *all);
    return all;
}

// What a cell has before a step: of the step before, or the initial one.
static const double *before(const struct pass *p, int pseudo, int step, int sequence, int width, const double *first,
                            const double *states) {
    if (step > 0) return states + row_at(p, pseudo, step - 1, sequence) * width;
    return first + ((int64_t)pseudo * p->batch + sequence) * width;
}

static const double *state_before(const struct pass *p, int pseudo, int step, int sequence, const double *first) {
    return before(p, pseudo, step, sequence, p->output, first, outputs_of(p, pseudo));
}

static const double *cell_before(const struct pass *p, int pseudo, int step, int sequence, const double *first) {
    return before(p, pseudo, step, sequence, p->hidden, first, states_of(p, pseudo));
}

static struct pass begin(const struct rnn *r, const struct rnn_data *x, const void *weights, const void *kept) {
    struct pass p = {r, x->steps, x->batch, rnn_gates(r), r->hidden, r->output, (int64_t)x->steps * x->batch, NULL, NULL};
    int all = r->layers * r->directions;
    p.weights = numbers(weights, r->biases ? rnn_bias(r, all, 0) : rnn_matrix(r, all, 0), r->type);
    p.kept = numbers(kept, all * rnn_kept(r, x), r->type);
    return p;
}

static void end(struct pass *p) {
    free(p->weights);
    free(p->kept);
}

static int inside(const void *data, int64_t count, int type) {
    return data == NULL || null_is_device(data, count * number_bytes(type));
}

static int checked(void *handle, const struct rnn *r, const struct rnn_data *x, const void *xs, const struct rnn_data *y,
                   const void *ys, size_t weight_bytes, const void *weights, int training, size_t workspace_bytes,
                   const void *workspace, size_t reserve_bytes, const void *reserve) {
    if (!null_is_object(handle, OBJECT_DNN)) return NOT_INITIALIZED;
    if (!null_is_object(r, OBJECT_RNN) || !null_is_object(x, OBJECT_RNN_DATA) || !null_is_object(y, OBJECT_RNN_DATA))
        return BAD_PARAM;
    if (x->steps != y->steps || x->batch != y->batch || x->width != r->input || y->width != r->directions * r->output)
        return SHAPE_MISMATCH;
    size_t needed, work, kept;
    cudnnGetRNNWeightSpaceSize(handle, r, &needed);
    cudnnGetRNNTempSpaceSizes(handle, r, training, x, &work, &kept);
    if (weight_bytes < needed || workspace_bytes < work || reserve_bytes < kept) return SIZE_INSUFFICIENT;
    int64_t rows = (int64_t)x->steps * x->batch;
    if (x->equal && (!inside(xs, rows * x->width, r->type) || !inside(ys, rows * y->width, r->type)))
        return EXECUTION_FAILED;
    if (!null_is_device(weights, needed) || !null_is_device(workspace, work) || !null_is_device(reserve, kept))
        return EXECUTION_FAILED;
    // As cuDNN 9.19 on an H100 has it, backward too: what was dropped is drawn again.
    if (training && r->dropout.rate > 0 && !r->dropout.states) return BAD_PARAM;
    null_control()->recurrences++;
    if (null_control()->emulate && (!x->equal || (r->dropout.rate > 0 && r->layers > 1 && training))) return NOT_SUPPORTED;
    return 0;
}

int cudnnRNNForward(void *handle, const struct rnn *r, int training, const int *lengths, const struct rnn_data *xd,
                    const void *x, const struct rnn_data *yd, void *y, void *hd, const void *hx, void *hy, void *cd,
                    const void *cx, void *cy, size_t weight_bytes, const void *weights, size_t workspace_bytes,
                    void *workspace, size_t reserve_bytes, void *reserve) {
    (void)lengths, (void)hd, (void)cd;
    ENTER("cudnnRNNForward");
    int status = checked(handle, r, xd, x, yd, y, weight_bytes, weights, training, workspace_bytes, workspace,
                         reserve_bytes, reserve);
    if (status || !null_control()->emulate) return status;
    struct pass p = begin(r, xd, weights, NULL);
    int all = r->layers * r->directions;
    int64_t states = (int64_t)p.batch * p.output, cells = (int64_t)p.batch * p.hidden;
    double *input = numbers(x, p.rows * r->input, r->type), *h = numbers(hx, all * states, r->type);
    double *c = numbers(cx, all * cells, r->type);
    for (int layer = 0; layer < r->layers; layer++) {
        for (int q = layer * r->directions; q < (layer + 1) * r->directions; q++)
            for (int step = 0; step < p.steps; step++)
                for (int s = 0; s < p.batch; s++) {
                    int64_t row = row_at(&p, q, step, s);
                    rnn_cell(&p, q, row, input + row * rnn_width(r, layer), state_before(&p, q, step, s, h),
                             cell_before(&p, q, step, s, c));
                }
        free(input);
        input = joined(&p, layer);
    }
    store(y, input, p.rows * r->directions * p.output, r->type);
    for (int q = 0; q < all; q++) {
        int64_t last = row_at(&p, q, p.steps - 1, 0), bytes = q * number_bytes(r->type);
        store(hy ? (char *)hy + bytes * states : NULL, outputs_of(&p, q) + last * p.output, states, r->type);
        if (r->cell == CELL_LSTM)
            store(cy ? (char *)cy + bytes * cells : NULL, states_of(&p, q) + last * p.hidden, cells, r->type);
    }
    if (training) store(reserve, p.kept, all * rnn_kept(r, xd), r->type);
    free(input), free(h), free(c);
    end(&p);
    return 0;
}

int cudnnRNNBackwardData_v8(void *handle, const struct rnn *r, const int *lengths, const struct rnn_data *yd,
                            const void *y, const void *dy, const struct rnn_data *xd, void *dx, void *hd,
                            const void *hx, const void *dhy, void *dhx, void *cd, const void *cx, const void *dcy,
                            void *dcx, size_t weight_bytes, const void *weights, size_t workspace_bytes,
                            void *workspace, size_t reserve_bytes, void *reserve) {
    (void)lengths, (void)hd, (void)cd, (void)y;
    ENTER("cudnnRNNBackwardData_v8");
    int status = checked(handle, r, xd, dx, yd, dy, weight_bytes, weights, 1, workspace_bytes, workspace,
                         reserve_bytes, reserve);
    if (status || !null_control()->emulate) return status;
    struct pass p = begin(r, xd, weights, reserve);
    int all = r->layers * r->directions, n = p.output;
    int64_t states = (int64_t)p.batch * n, cells = (int64_t)p.batch * p.hidden;
    double *h = numbers(hx, all * states, r->type), *c = numbers(cx, all * cells, r->type);
    double *dh = numbers(dhy, all * states, r->type), *dc = numbers(dcy, all * cells, r->type);
    double *above = numbers(dy, p.rows * r->directions * n, r->type);
    for (int layer = r->layers - 1; layer >= 0; layer--) {
        int width = rnn_width(r, layer);
        double *below = numbers(NULL, p.rows * width, r->type);
        for (int q = layer * r->directions; q < (layer + 1) * r->directions; q++)
            for (int step = p.steps - 1; step >= 0; step--)
                for (int s = 0; s < p.batch; s++) {
                    int64_t row = row_at(&p, q, step, s), own = q * states + (int64_t)s * n;
                    for (int u = 0; u < n; u++) dh[own + u] += above[(row * r->directions + q % r->directions) * n + u];
                    rnn_cell_gradient(&p, q, row, state_before(&p, q, step, s, h), cell_before(&p, q, step, s, c), dh + own,
                                      dc + q * cells + (int64_t)s * p.hidden);
                    rnn_through_weights(&p, q, row, dh + own, below + row * width);
                }
        free(above);
        above = below;
    }
    store(dx, above, p.rows * r->input, r->type);
    store(dhx, dh, all * states, r->type);
    if (r->cell == CELL_LSTM) store(dcx, dc, all * cells, r->type);
    store(reserve, p.kept, all * rnn_kept(r, xd), r->type);
    free(h), free(c), free(dh), free(dc), free(above);
    end(&p);
    return 0;
}

static void add_projection(const struct pass *p, int pseudo) {
    double *matrix = p->weights + rnn_matrix(p->r, pseudo, 2 * p->gates);
    for (int64_t row = 0; row < p->rows; row++)
        for (int j = 0; j < p->output; j++)
            for (int u = 0; u < p->hidden; u++)
                matrix[j * p->hidden + u] += gradient_of(p, pseudo)[row * p->output + j] * shown_of(p, pseudo)[row * p->hidden + u];
}

int cudnnRNNBackwardWeights_v8(void *handle, const struct rnn *r, int set, const int *lengths,
                               const struct rnn_data *xd, const void *x, void *hd, const void *hx,
                               const struct rnn_data *yd, const void *y, size_t weight_bytes, void *dweights,
                               size_t workspace_bytes, void *workspace, size_t reserve_bytes, void *reserve) {
    (void)lengths, (void)hd;
    ENTER("cudnnRNNBackwardWeights_v8");
    if (set) return NOT_SUPPORTED;
    int status = checked(handle, r, xd, x, yd, y, weight_bytes, dweights, 1, workspace_bytes, workspace,
                         reserve_bytes, reserve);
    if (status || !null_control()->emulate) return status;
    struct pass p = begin(r, xd, dweights, reserve);
    int all = r->layers * r->directions;
    double *h = numbers(hx, (int64_t)all * p.batch * p.output, r->type), *input = numbers(x, p.rows * r->input, r->type);
    for (int q = 0; q < all; q++) {
        int layer = q / r->directions, width = rnn_width(r, layer);
        if (layer > 0 && q % r->directions == 0) {
            free(input);
            input = joined(&p, layer - 1);
        }
        for (int64_t i = 0; i < p.rows * p.gates * p.hidden; i++) {
            int step = (int)(i / p.hidden / p.gates / p.batch), s = (int)(i / p.hidden / p.gates % p.batch);
            int g = (int)(i / p.hidden % p.gates), u = (int)(i % p.hidden);
            int64_t row = row_at(&p, q, step, s);
            double d = gates_of(&p, q)[(row * p.gates + g) * p.hidden + u], e = rnn_state_gradient(&p, q, row, g, u);
            const double *old = state_before(&p, q, step, s, h);
            for (int k = 0; k < width; k++)
                p.weights[rnn_matrix(r, q, g) + u * width + k] += d * input[row * width + k];
            for (int k = 0; k < p.output; k++)
                p.weights[rnn_matrix(r, q, p.gates + g) + u * p.output + k] += e * old[k];
            if (r->biases) {
                p.weights[rnn_bias(r, q, g) + u] += d;
                p.weights[rnn_bias(r, q, p.gates + g) + u] += e;
            }
        }
        if (rnn_projects(r)) add_projection(&p, q);
    }
    store(dweights, p.weights, r->biases ? rnn_bias(r, all, 0) : rnn_matrix(r, all, 0), r->type);
    free(h), free(input);
    end(&p);
    return 0;
}
