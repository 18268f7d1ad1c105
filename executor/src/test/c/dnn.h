// Descriptors of the null cuDNN.
#ifndef DNN_H
#define DNN_H

#include "null.h"
#include "number.h"

#define NOT_INITIALIZED 1001
#define BAD_PARAM 2000
#define SIZE_INSUFFICIENT 2006
#define SHAPE_MISMATCH 2008
#define NOT_SUPPORTED 3000
#define EXECUTION_FAILED 5000

#define DIMENSIONS 8
#define SPATIAL 3

// Tensors and filters alike: sizes and strides in elements; type is a cudaDataType.
struct tensor {
    int dimensions, type;
    int64_t size[DIMENSIONS], stride[DIMENSIONS];
};

// Mode 0 is a true convolution, which turns the filter over; 1 is cross-correlation.
struct convolution { int spatial, groups, mode; int64_t pad[SPATIAL], stride[SPATIAL], dilation[SPATIAL]; };

// Which of x, w and y is computed from the other two.
enum way { FORWARD, DATA, FILTER };
int convolution_fits(const struct tensor *x, const struct tensor *w, const struct convolution *c,
                     const struct tensor *y);
// result = by * convolution + keep * result, where result is one of the three.
int convolve(enum way way, double by, double keep, const struct tensor *x, const struct tensor *w,
             const struct convolution *c, const struct tensor *y, void *px, void *pw, void *py);

// A recurrent layer stack. A pseudo-layer is one direction of one layer.
enum cell { CELL_RELU, CELL_TANH, CELL_LSTM, CELL_GRU };
// output: elements of a state, fewer than hidden where an LSTM projects what its cells show.
struct dropout { float rate; const void *states; };
struct rnn { int cell, biases, directions, type, input, hidden, output, layers; struct dropout dropout; };
struct rnn_data { int type, steps, batch, width, equal; };

int rnn_gates(const struct rnn *r);
int rnn_projects(const struct rnn *r);
// Elements that a training pass keeps for one step of one sequence in one pseudo-layer: gates, output, in gated cells one
// more state, and with a projection what is projected and the output's gradient.
int rnn_row(const struct rnn *r);
int64_t rnn_kept(const struct rnn *r, const struct rnn_data *x);
// The place of a gate's matrix (id below 2 * gates: of the input, then of the state; then of the projection) in the
// weights, in elements.
int64_t rnn_matrix(const struct rnn *r, int pseudo, int id);
// The place of a gate's bias; only with two biases a gate.
int64_t rnn_bias(const struct rnn *r, int pseudo, int id);
// The width of a layer's input.
int rnn_width(const struct rnn *r, int layer);
int number_type(int type);
int cudnnGetRNNWeightSpaceSize(void *handle, const struct rnn *r, size_t *bytes);
int cudnnGetRNNTempSpaceSizes(void *handle, const struct rnn *r, int training, const struct rnn_data *x,
                              size_t *workspace, size_t *reserve);

int tensor_ok(const struct tensor *t, int kind);
// Whether all of a tensor's elements lie in device memory.
int tensor_in_memory(const struct tensor *t, const void *data);
int64_t tensor_elements(const struct tensor *t);
// Reads alpha or beta: a host number, double for double tensors and float for all others.
double scalar(const void *value, const struct tensor *t);

#endif
