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

struct convolution { int spatial, groups, mode; int64_t pad[SPATIAL], stride[SPATIAL], dilation[SPATIAL]; };

int tensor_ok(const struct tensor *t, int kind);
// Whether all of a tensor's elements lie in device memory.
int tensor_in_memory(const struct tensor *t, const void *data);
int64_t tensor_elements(const struct tensor *t);
// Reads alpha or beta: a host number, double for double tensors and float for all others.
double scalar(const void *value, const struct tensor *t);

#endif
