// Convolutions of the null cuDNN, with two or three spatial dimensions. Sums are kept in double.
#include "dnn.h"

#include <stdlib.h>

int convolution_fits(const struct tensor *x, const struct tensor *w, const struct convolution *c,
                     const struct tensor *y) {
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

// The next place of a shape in the order of its dimensions; 0 after the last.
static int next(int64_t *place, const int64_t *size, int dimensions) {
    for (int i = dimensions - 1; i >= 0; i--) {
        if (++place[i] < size[i]) return 1;
        place[i] = 0;
    }
    return 0;
}

// The tensors of a convolution as dense doubles; one way computes one of them from the others.
struct values { double *x, *w, *y; int64_t x_stride[DIMENSIONS], w_stride[DIMENSIONS], y_stride[DIMENSIONS]; };

// Adds every product of the convolution to the element that the way computes.
static void accumulate(enum way way, const struct tensor *x, const struct tensor *w, const struct convolution *c,
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
                int64_t turned = c->mode == 0 ? w->size[i + 2] - 1 - tap[i + 1] : tap[i + 1];
                int64_t in = out[i + 2] * c->stride[i] - c->pad[i] + tap[i + 1] * c->dilation[i];
                inside &= in >= 0 && in < x->size[i + 2];
                at_w += turned * v->w_stride[i + 2];
                at_x += in * v->x_stride[i + 2];
            }
            if (!inside) continue;
            if (way == FORWARD) v->y[at_y] += v->x[at_x] * v->w[at_w];
            else if (way == DATA) v->x[at_x] += v->y[at_y] * v->w[at_w];
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

int convolve(enum way way, double by, double keep, const struct tensor *x, const struct tensor *w,
             const struct convolution *c, const struct tensor *y, void *px, void *pw, void *py) {
    if (!tensor_in_memory(x, px) || !tensor_in_memory(w, pw) || !tensor_in_memory(y, py)) return EXECUTION_FAILED;
    null_control()->convolutions++;
    if (!null_control()->emulate) return 0;
    struct values v;
    v.x = values(x, way == DATA ? NULL : px, v.x_stride);
    v.w = values(w, way == FILTER ? NULL : pw, v.w_stride);
    v.y = values(y, way == FORWARD ? NULL : py, v.y_stride);
    accumulate(way, x, w, c, y, &v);
    if (way == FORWARD) blend(y, v.y, by, keep, py);
    else if (way == DATA) blend(x, v.x, by, keep, px);
    else blend(w, v.w, by, keep, pw);
    free(v.x), free(v.w), free(v.y);
    return 0;
}
