// Convolutions of the null cuDNN, with two or three spatial dimensions. Sums are kept in double.
#include "dnn.h"

#include <stdlib.h>

// As cudnnConvolutionFwdAlgoPerf_t and its like for the gradients.
struct algorithm { int algo, status; float time; size_t memory; int determinism, math, reserved[3]; };

enum pass { FORWARD, DATA, FILTER };

static int fits(const struct tensor *x, const struct tensor *w, const struct convolution *c, const struct tensor *y) {
    if (!tensor_ok(x, OBJECT_TENSOR) || !tensor_ok(w, OBJECT_FILTER) || !tensor_ok(y, OBJECT_TENSOR)) return BAD_PARAM;
    if (!null_is_object(c, OBJECT_CONVOLUTION) || c->spatial == 0) return BAD_PARAM;
    int n = c->spatial + 2;
    if (x->dimensions != n || w->dimensions != n || y->dimensions != n) return SHAPE_MISMATCH;
    if (x->type != w->type || x->type != y->type) return NOT_SUPPORTED;
    if (x->size[0] != y->size[0] || x->size[1] != w->size[1] * c->groups || y->size[1] != w->size[0]
        || w->size[0] % c->groups)
        return SHAPE_MISMATCH;
    for (int i = 0; i < c->spatial; i++) {
        int64_t reach = (w->size[i + 2] - 1) * c->dilation[i] + 1;
        int64_t room = x->size[i + 2] + 2 * c->pad[i] - reach;
        if (room < 0 || room / c->stride[i] + 1 != y->size[i + 2]) return SHAPE_MISMATCH;
    }
    return 0;
}

int cudnnGetConvolutionNdForwardOutputDim(const struct convolution *c, const struct tensor *x, const struct tensor *w,
                                          int dimensions, int *size) {
    if (!tensor_ok(x, OBJECT_TENSOR) || !tensor_ok(w, OBJECT_FILTER) || dimensions != x->dimensions) return BAD_PARAM;
    size[0] = (int)x->size[0];
    size[1] = (int)w->size[0];
    for (int i = 0; i < c->spatial; i++) {
        int64_t reach = (w->size[i + 2] - 1) * c->dilation[i] + 1;
        size[i + 2] = (int)((x->size[i + 2] + 2 * c->pad[i] - reach) / c->stride[i] + 1);
    }
    return 0;
}

// The next place of a shape in the order of its dimensions; 0 after the last.
static int next(int64_t *place, const int64_t *size, int dimensions) {
    for (int i = dimensions - 1; i >= 0; i--) {
        if (++place[i] < size[i]) return 1;
        place[i] = 0;
    }
    return 0;
}

// The tensors of a convolution as dense doubles; the pass computes one of them from the others.
struct values { double *x, *w, *y; int64_t x_stride[DIMENSIONS], w_stride[DIMENSIONS], y_stride[DIMENSIONS]; };

// Adds every product of the convolution to the element that the pass computes.
static void accumulate(enum pass pass, const struct tensor *x, const struct tensor *w, const struct convolution *c,
                       const struct tensor *y, struct values *v) {
    int64_t out[DIMENSIONS] = {0}, at_y = 0;
    int64_t per_group = y->size[1] / c->groups;
    do {
        // tap: channel within the group, then the place in the window.
        int64_t group = out[1] / per_group, tap[DIMENSIONS] = {0};
        do {
            int64_t at_x = out[0] * v->x_stride[0] + (group * w->size[1] + tap[0]) * v->x_stride[1];
            int64_t at_w = out[1] * v->w_stride[0] + tap[0] * v->w_stride[1];
            int inside = 1;
            for (int i = 0; i < c->spatial; i++) {
                // Mode 0 is a true convolution, which turns the filter over; 1 is cross-correlation.
                int64_t turned = c->mode == 0 ? w->size[i + 2] - 1 - tap[i + 1] : tap[i + 1];
                int64_t in = out[i + 2] * c->stride[i] - c->pad[i] + tap[i + 1] * c->dilation[i];
                inside &= in >= 0 && in < x->size[i + 2];
                at_w += turned * v->w_stride[i + 2];
                at_x += in * v->x_stride[i + 2];
            }
            if (!inside) continue;
            if (pass == FORWARD) v->y[at_y] += v->x[at_x] * v->w[at_w];
            else if (pass == DATA) v->x[at_x] += v->y[at_y] * v->w[at_w];
            else v->w[at_w] += v->y[at_y] * v->x[at_x];
        } while (next(tap, w->size + 1, c->spatial + 1));
        at_y++;
    } while (next(out, y->size, c->spatial + 2));
}

static int64_t place_of(const struct tensor *t, const int64_t *index) {
    int64_t at = 0;
    for (int d = 0; d < t->dimensions; d++) at += index[d] * t->stride[d];
    return at;
}

// A tensor as dense doubles, with their strides; zeros without data.
static double *values(const struct tensor *t, const void *data, int64_t *stride) {
    int64_t step = 1, index[DIMENSIONS] = {0}, i = 0;
    for (int d = t->dimensions - 1; d >= 0; d--) {
        stride[d] = step;
        step *= t->size[d];
    }
    double *all = calloc(step, sizeof *all);
    if (data == NULL) return all;
    do all[i++] = get_number(data, place_of(t, index), t->type);
    while (next(index, t->size, t->dimensions));
    return all;
}

// result = by * sums + keep * result
static void blend(const struct tensor *t, const double *sums, double by, double keep, void *result) {
    int64_t index[DIMENSIONS] = {0}, i = 0;
    do {
        int64_t at = place_of(t, index);
        double value = by * sums[i++];
        if (keep != 0) value += keep * get_number(result, at, t->type);
        put_number(result, at, t->type, value);
    } while (next(index, t->size, t->dimensions));
}

static int run(enum pass pass, void *handle, const void *alpha, const struct tensor *x, const struct tensor *w,
               const struct convolution *c, const struct tensor *y, const void *a, const void *b, const void *beta,
               void *result, void *workspace, size_t bytes) {
    if (!null_is_object(handle, OBJECT_DNN)) return NOT_INITIALIZED;
    int status = fits(x, w, c, y);
    if (status) return status;
    const struct tensor *first = pass == DATA ? w : x, *second = pass == FORWARD ? w : y;
    const struct tensor *target = pass == FORWARD ? y : pass == DATA ? x : w;
    size_t needed = null_control()->workspace;
    if (bytes < needed || (needed && !null_is_device(workspace, needed))) return SIZE_INSUFFICIENT;
    if (!tensor_in_memory(first, a) || !tensor_in_memory(second, b) || !tensor_in_memory(target, result))
        return EXECUTION_FAILED;
    null_control()->convolutions++;
    if (!null_control()->emulate) return 0;
    struct values v;
    v.x = values(x, pass == DATA ? NULL : a, v.x_stride);
    v.w = values(w, pass == FILTER ? NULL : pass == DATA ? a : b, v.w_stride);
    v.y = values(y, pass == FORWARD ? NULL : b, v.y_stride);
    accumulate(pass, x, w, c, y, &v);
    blend(target, pass == FORWARD ? v.y : pass == DATA ? v.x : v.w, scalar(alpha, x), scalar(beta, x), result);
    free(v.x), free(v.w), free(v.y);
    return 0;
}

int cudnnConvolutionForward(void *handle, const void *alpha, const struct tensor *xd, const void *x,
                            const struct tensor *wd, const void *w, const struct convolution *c, int algo,
                            void *workspace, size_t bytes, const void *beta, const struct tensor *yd, void *y) {
    (void)algo;
    ENTER("cudnnConvolutionForward");
    return run(FORWARD, handle, alpha, xd, wd, c, yd, x, w, beta, y, workspace, bytes);
}

int cudnnConvolutionBackwardData(void *handle, const void *alpha, const struct tensor *wd, const void *w,
                                 const struct tensor *dyd, const void *dy, const struct convolution *c, int algo,
                                 void *workspace, size_t bytes, const void *beta, const struct tensor *dxd, void *dx) {
    (void)algo;
    ENTER("cudnnConvolutionBackwardData");
    return run(DATA, handle, alpha, dxd, wd, c, dyd, w, dy, beta, dx, workspace, bytes);
}

int cudnnConvolutionBackwardFilter(void *handle, const void *alpha, const struct tensor *xd, const void *x,
                                   const struct tensor *dyd, const void *dy, const struct convolution *c, int algo,
                                   void *workspace, size_t bytes, const void *beta, const struct tensor *dwd, void *dw) {
    (void)algo;
    ENTER("cudnnConvolutionBackwardFilter");
    return run(FILTER, handle, alpha, xd, dwd, c, dyd, x, dy, beta, dw, workspace, bytes);
}

static int workspace(const char *call, const struct tensor *x, const struct tensor *w, const struct convolution *c,
                     const struct tensor *y, size_t *bytes) {
    ENTER(call);
    *bytes = null_control()->workspace;
    return fits(x, w, c, y);
}

static int algorithms(const char *call, const struct tensor *x, const struct tensor *w, const struct convolution *c,
                      const struct tensor *y, int requested, int *count, struct algorithm *results) {
    *count = 0;
    ENTER(call);
    int status = fits(x, w, c, y);
    if (status) return status;
    if (requested < 1) return BAD_PARAM;
    *count = 1;
    results[0] = (struct algorithm){.algo = 1, .time = 1, .memory = null_control()->workspace, .determinism = 1};
    return 0;
}

int cudnnGetConvolutionForwardWorkspaceSize(void *handle, const struct tensor *x, const struct tensor *w,
                                            const struct convolution *c, const struct tensor *y, int algo,
                                            size_t *bytes) {
    (void)handle, (void)algo;
    return workspace("cudnnGetConvolutionForwardWorkspaceSize", x, w, c, y, bytes);
}

int cudnnGetConvolutionBackwardDataWorkspaceSize(void *handle, const struct tensor *w, const struct tensor *dy,
                                                 const struct convolution *c, const struct tensor *dx, int algo,
                                                 size_t *bytes) {
    (void)handle, (void)algo;
    return workspace("cudnnGetConvolutionBackwardDataWorkspaceSize", dx, w, c, dy, bytes);
}

int cudnnGetConvolutionBackwardFilterWorkspaceSize(void *handle, const struct tensor *x, const struct tensor *dy,
                                                   const struct convolution *c, const struct tensor *dw, int algo,
                                                   size_t *bytes) {
    (void)handle, (void)algo;
    return workspace("cudnnGetConvolutionBackwardFilterWorkspaceSize", x, dw, c, dy, bytes);
}

int cudnnGetConvolutionForwardAlgorithm_v7(void *handle, const struct tensor *x, const struct tensor *w,
                                           const struct convolution *c, const struct tensor *y, int requested,
                                           int *count, struct algorithm *results) {
    (void)handle;
    return algorithms("cudnnGetConvolutionForwardAlgorithm_v7", x, w, c, y, requested, count, results);
}

int cudnnGetConvolutionBackwardDataAlgorithm_v7(void *handle, const struct tensor *w, const struct tensor *dy,
                                                const struct convolution *c, const struct tensor *dx, int requested,
                                                int *count, struct algorithm *results) {
    (void)handle;
    return algorithms("cudnnGetConvolutionBackwardDataAlgorithm_v7", dx, w, c, dy, requested, count, results);
}

int cudnnGetConvolutionBackwardFilterAlgorithm_v7(void *handle, const struct tensor *x, const struct tensor *dy,
                                                  const struct convolution *c, const struct tensor *dw, int requested,
                                                  int *count, struct algorithm *results) {
    (void)handle;
    return algorithms("cudnnGetConvolutionBackwardFilterAlgorithm_v7", x, dw, c, dy, requested, count, results);
}
