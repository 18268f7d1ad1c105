// Descriptors, weights and sizes of the null cuDNN's recurrent layers. Weights are all matrices, then all biases, in the
// order of pseudo-layers and gates; matrices are row-major, a row for each hidden unit.
#include "dnn.h"

// 48 bytes for each thread that the device can hold, at 2,048 a multiprocessor.
static size_t generators_size(void) { return 48 * 2048 * (size_t)null_control()->processors; }

int cudnnDropoutGetStatesSize(void *handle, size_t *bytes) {
    (void)handle;
    ENTER("cudnnDropoutGetStatesSize");
    *bytes = generators_size();
    return 0;
}

int cudnnSetDropoutDescriptor(struct dropout *d, void *handle, float rate, void *states, size_t bytes,
                              unsigned long long seed) {
    (void)handle, (void)seed;
    ENTER("cudnnSetDropoutDescriptor");
    if (!null_is_object(d, OBJECT_DROPOUT) || rate < 0 || rate > 1) return BAD_PARAM;
    if (states && bytes < generators_size()) return BAD_PARAM;
    *d = (struct dropout){rate, states};
    return 0;
}

int cudnnRestoreDropoutDescriptor(struct dropout *d, void *handle, float rate, void *states, size_t bytes,
                                  unsigned long long seed) {
    return cudnnSetDropoutDescriptor(d, handle, rate, states, bytes, seed);
}

int cudnnSetRNNDescriptor_v8(struct rnn *r, int algo, int cell, int biases, int direction, int input_mode, int type,
                             int precision, int math, int input, int hidden, int projection, int layers,
                             const struct dropout *dropout, unsigned flags) {
    (void)precision, (void)math, (void)flags;
    ENTER("cudnnSetRNNDescriptor_v8");
    if (!null_is_object(r, OBJECT_RNN) || input < 1 || hidden < 1 || layers < 1) return BAD_PARAM;
    if (cell < 0 || cell > CELL_GRU || direction < 0 || direction > 1) return BAD_PARAM;
    if (number_type(type) < 0 || (biases != 0 && biases != 2) || input_mode != 0) return NOT_SUPPORTED;
    if (projection < 0 || projection > hidden) return BAD_PARAM;
    // Persistent kernels project nothing.
    if (projection != 0 && projection != hidden && (cell != CELL_LSTM || algo != 0)) return NOT_SUPPORTED;
    struct dropout drops = dropout && null_is_object(dropout, OBJECT_DROPOUT) ? *dropout : (struct dropout){0, NULL};
    *r = (struct rnn){cell, biases, direction + 1, number_type(type), input, hidden, projection ? projection : hidden, layers,
                      drops};
    return 0;
}

int cudnnSetRNNDataDescriptor(struct rnn_data *d, int type, int layout, int steps, int batch, int width,
                              const int *lengths, void *fill) {
    (void)fill;
    ENTER("cudnnSetRNNDataDescriptor");
    if (!null_is_object(d, OBJECT_RNN_DATA) || steps < 1 || batch < 1 || width < 1) return BAD_PARAM;
    if (number_type(type) < 0) return NOT_SUPPORTED;
    // Only sequences of one length, a step after the other, are computed.
    int equal = layout == 0 || layout == 1;
    for (int i = 0; i < batch; i++) equal &= lengths[i] == steps;
    *d = (struct rnn_data){number_type(type), steps, batch, width, equal};
    return 0;
}

int rnn_gates(const struct rnn *r) { return r->cell == CELL_LSTM ? 4 : r->cell == CELL_GRU ? 3 : 1; }

int rnn_projects(const struct rnn *r) { return r->output < r->hidden; }

int rnn_width(const struct rnn *r, int layer) { return layer == 0 ? r->input : r->directions * r->output; }

int rnn_row(const struct rnn *r) {
    int gated = rnn_gates(r) * r->hidden + r->output + (rnn_gates(r) > 1 ? r->hidden : 0);
    return gated + (rnn_projects(r) ? r->hidden + r->output : 0);
}

int64_t rnn_kept(const struct rnn *r, const struct rnn_data *x) { return (int64_t)x->steps * x->batch * rnn_row(r); }

static int64_t matrices(const struct rnn *r, int pseudo) {
    int64_t gates = (int64_t)rnn_gates(r) * r->hidden * (rnn_width(r, pseudo / r->directions) + r->output);
    return gates + (rnn_projects(r) ? (int64_t)r->output * r->hidden : 0);
}

int64_t rnn_matrix(const struct rnn *r, int pseudo, int id) {
    int64_t at = 0;
    for (int p = 0; p < pseudo; p++) at += matrices(r, p);
    int gates = rnn_gates(r), width = rnn_width(r, pseudo / r->directions);
    int from_input = id < gates ? id : gates;
    return at + (int64_t)r->hidden * (from_input * width + (int64_t)(id - from_input) * r->output);
}

int64_t rnn_bias(const struct rnn *r, int pseudo, int id) {
    int all = r->layers * r->directions;
    return rnn_matrix(r, all, 0) + ((int64_t)pseudo * 2 * rnn_gates(r) + id) * r->hidden;
}

int cudnnGetRNNWeightSpaceSize(void *handle, const struct rnn *r, size_t *bytes) {
    (void)handle;
    ENTER("cudnnGetRNNWeightSpaceSize");
    if (!null_is_object(r, OBJECT_RNN)) return BAD_PARAM;
    int all = r->layers * r->directions;
    *bytes = number_bytes(r->type) * (r->biases ? rnn_bias(r, all, 0) : rnn_matrix(r, all, 0));
    return 0;
}

static void describe(struct tensor *t, int type, int rows, int columns) {
    *t = (struct tensor){3, type, {1, rows, columns}, {(int64_t)rows * columns, columns, 1}};
}

int cudnnGetRNNWeightParams(void *handle, const struct rnn *r, int pseudo, size_t bytes, char *weights, int id,
                            struct tensor *matrix, char **matrix_at, struct tensor *bias, char **bias_at) {
    (void)handle, (void)bytes;
    ENTER("cudnnGetRNNWeightParams");
    int gates = null_is_object(r, OBJECT_RNN) ? rnn_gates(r) : 0;
    if (gates == 0 || pseudo < 0 || pseudo >= r->layers * r->directions || id < 0) return BAD_PARAM;
    if (id > 2 * gates || (id == 2 * gates && !rnn_projects(r))) return BAD_PARAM;
    int projects = id == 2 * gates, biased = r->biases && !projects;
    int columns = projects ? r->hidden : id < gates ? rnn_width(r, pseudo / r->directions) : r->output;
    *matrix_at = weights + number_bytes(r->type) * rnn_matrix(r, pseudo, id);
    *bias_at = biased ? weights + number_bytes(r->type) * rnn_bias(r, pseudo, id) : NULL;
    if (null_is_object(matrix, OBJECT_TENSOR)) describe(matrix, r->type, projects ? r->output : r->hidden, columns);
    if (null_is_object(bias, OBJECT_TENSOR) && biased) describe(bias, r->type, r->hidden, 1);
    return 0;
}

// The workspace has room for a layer's gates and, between layers, for its output and that one's gradient. The real
// library's sizes differ by algorithm and version.
int cudnnGetRNNTempSpaceSizes(void *handle, const struct rnn *r, int training, const struct rnn_data *x,
                              size_t *workspace, size_t *reserve) {
    (void)handle;
    ENTER("cudnnGetRNNTempSpaceSizes");
    if (!null_is_object(r, OBJECT_RNN) || !null_is_object(x, OBJECT_RNN_DATA)) return BAD_PARAM;
    size_t states = (size_t)x->steps * x->batch * r->hidden * r->directions * number_bytes(r->type);
    if (workspace) *workspace = states * (rnn_gates(r) + (r->layers > 1 ? 2 : 0));
    size_t kept = rnn_kept(r, x) * r->layers * r->directions * number_bytes(r->type);
    if (reserve) *reserve = training ? kept : 0;
    return 0;
}
