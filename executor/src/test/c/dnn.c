// libcudnn_graph.so.9, which holds all of the null cuDNN: handle and descriptors.
#include "dnn.h"

#include <stdio.h>
#include <string.h>

/* Before 9.8: nobody asks this library for plans for a GPU that is not there. */
size_t cudnnGetVersion(void) { return 90700; }

const char *cudnnGetErrorString(int status) {
    switch (status) {
        case 0: return "CUDNN_STATUS_SUCCESS";
        case NOT_INITIALIZED: return "CUDNN_STATUS_NOT_INITIALIZED";
        case BAD_PARAM: return "CUDNN_STATUS_BAD_PARAM";
        case SIZE_INSUFFICIENT: return "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT";
        case SHAPE_MISMATCH: return "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH";
        case NOT_SUPPORTED: return "CUDNN_STATUS_NOT_SUPPORTED";
        default: return "CUDNN_STATUS_EXECUTION_FAILED";
    }
}

int cudnnCreate(void **handle) {
    ENTER("cudnnCreate");
    null_make_context();
    *handle = null_object(8, OBJECT_DNN);
    return 0;
}

int cudnnDestroy(void *handle) {
    ENTER("cudnnDestroy");
    return null_drop(handle, OBJECT_DNN) ? 0 : NOT_INITIALIZED;
}

int cudnnSetStream(void *handle, void *stream) {
    (void)stream;
    return null_is_object(handle, OBJECT_DNN) ? 0 : NOT_INITIALIZED;
}

#define DESCRIPTOR(name, type, kind)                                                    \
    int cudnnCreate##name##Descriptor(void **d) {                                       \
        ENTER("cudnnCreate" #name "Descriptor");                                        \
        *d = null_object(sizeof(type), kind);                                           \
        return 0;                                                                       \
    }                                                                                   \
    int cudnnDestroy##name##Descriptor(void *d) { return null_drop(d, kind) ? 0 : BAD_PARAM; }
DESCRIPTOR(Tensor, struct tensor, OBJECT_TENSOR)
DESCRIPTOR(Activation, int, OBJECT_ACTIVATION)
DESCRIPTOR(RNN, struct rnn, OBJECT_RNN)
DESCRIPTOR(RNNData, struct rnn_data, OBJECT_RNN_DATA)
DESCRIPTOR(Dropout, struct dropout, OBJECT_DROPOUT)

int tensor_ok(const struct tensor *t, int kind) { return null_is_object(t, kind) && t->dimensions > 0; }

int64_t tensor_elements(const struct tensor *t) {
    int64_t elements = 1;
    for (int i = 0; i < t->dimensions; i++) elements *= t->size[i];
    return elements;
}

int tensor_in_memory(const struct tensor *t, const void *data) {
    int64_t last = 1;
    for (int i = 0; i < t->dimensions; i++) last += (t->size[i] - 1) * t->stride[i];
    return null_is_device(data, last * number_bytes(t->type));
}

double scalar(const void *value, const struct tensor *t) { return get_number(value, 0, t->type == R_64F ? R_64F : R_32F); }

// cudnnDataType_t as cudaDataType; -1 for what the null cuDNN does not compute with.
int number_type(int type) {
    return type == 0 ? R_32F : type == 1 ? R_64F : type == 2 ? R_16F : type == 9 ? R_16BF : -1;
}

static int set(struct tensor *t, int type, int dimensions, const int *size, const int *stride, int format) {
    if (!null_is_object(t, OBJECT_TENSOR) || dimensions < 1 || dimensions > DIMENSIONS) return BAD_PARAM;
    if (number_type(type) < 0) return NOT_SUPPORTED;
    t->type = number_type(type);
    t->dimensions = dimensions;
    for (int i = 0; i < dimensions; i++) {
        if (size[i] < 1 || (stride && stride[i] < 1)) return BAD_PARAM;
        t->size[i] = size[i];
        if (stride) t->stride[i] = stride[i];
    }
    if (stride) return 0;
    int64_t step = 1;
    // Channels last (format 1): after the batch come the spatial dimensions, then the channels.
    if (format == 1) {
        t->stride[1] = 1;
        step = size[1];
    }
    for (int i = dimensions - 1; i >= 0; i--) {
        if (format == 1 && i == 1) continue;
        t->stride[i] = step;
        step *= size[i];
    }
    return format == 0 || format == 1 ? 0 : NOT_SUPPORTED;
}

int cudnnSetTensor4dDescriptor(struct tensor *t, int format, int type, int n, int c, int h, int w) {
    ENTER("cudnnSetTensor4dDescriptor");
    return set(t, type, 4, (int[]){n, c, h, w}, NULL, format);
}

int cudnnSetTensor4dDescriptorEx(struct tensor *t, int type, int n, int c, int h, int w, int ns, int cs, int hs, int ws) {
    ENTER("cudnnSetTensor4dDescriptorEx");
    return set(t, type, 4, (int[]){n, c, h, w}, (int[]){ns, cs, hs, ws}, 0);
}

int cudnnSetTensorNdDescriptor(struct tensor *t, int type, int dimensions, const int *size, const int *stride) {
    ENTER("cudnnSetTensorNdDescriptor");
    return dimensions < 3 ? BAD_PARAM : set(t, type, dimensions, size, stride, 0);
}

int cudnnSetTensorNdDescriptorEx(struct tensor *t, int format, int type, int dimensions, const int *size) {
    ENTER("cudnnSetTensorNdDescriptorEx");
    return dimensions < 3 ? BAD_PARAM : set(t, type, dimensions, size, NULL, format);
}

int cudnnSetActivationDescriptor(int *d, int mode, int nan, double coefficient) {
    (void)nan, (void)coefficient;
    if (!null_is_object(d, OBJECT_ACTIVATION)) return BAD_PARAM;
    *d = mode;
    return 0;
}

int cudnnGetTensorSizeInBytes(const struct tensor *t, size_t *bytes) {
    if (!tensor_ok(t, OBJECT_TENSOR)) return BAD_PARAM;
    int64_t last = 1;
    for (int i = 0; i < t->dimensions; i++) last += (t->size[i] - 1) * t->stride[i];
    *bytes = last * number_bytes(t->type);
    return 0;
}
