// Tensors, convolutions and operations of cuDNN's backend interface.
#include "dnn_backend.h"

#include <stdio.h>
#include <string.h>

static int64_t number(const struct attribute *a, int i) {
    int64_t wide;
    int narrow;
    if (a->type == T_INT64) memcpy(&wide, a->value + i * sizeof wide, sizeof wide);
    else memcpy(&narrow, a->value + i * sizeof narrow, sizeof narrow), wide = narrow;
    return wide;
}

int finish_tensor(const struct descriptor *d) {
    const struct attribute *type = attribute_of(d, A_TYPE, T_DATA_TYPE), *sizes = attribute_of(d, A_SIZES, T_INT64);
    const struct attribute *strides = attribute_of(d, A_TENSOR_STRIDES, T_INT64);
    if (!type || !sizes || !strides || !attribute_of(d, A_NAME, T_INT64) || !attribute_of(d, A_ALIGNMENT, T_INT64))
        return BAD_PARAM;
    if (sizes->count != strides->count || sizes->count < 3) return BAD_PARAM;
    for (int i = 0; i < sizes->count; i++)
        if (number(sizes, i) < 1 || number(strides, i) < 1) return BAD_PARAM;
    int64_t alignment = number(attribute_of(d, A_ALIGNMENT, T_INT64), 0);
    if (alignment < 1 || alignment & (alignment - 1)) return BAD_PARAM;
    return number_type((int)number(type, 0)) < 0 ? NOT_SUPPORTED : 0;
}

static const int of_convolution[] = {A_PRE, A_POST, A_STRIDES, A_DILATIONS};

int finish_convolution(const struct descriptor *d) {
    const struct attribute *spatial = attribute_of(d, A_SPATIAL, T_INT64);
    if (!spatial || !attribute_of(d, A_COMPUTE, T_DATA_TYPE) || !attribute_of(d, A_MODE, T_MODE)) return BAD_PARAM;
    int n = (int)number(spatial, 0);
    if (n < 2 || n > SPATIAL) return NOT_SUPPORTED;
    for (int k = 0; k < 4; k++) {
        const struct attribute *a = attribute_of(d, of_convolution[k], T_INT64);
        if (!a || a->count != n) return BAD_PARAM;
        for (int i = 0; i < n; i++)
            if (number(a, i) < (k < 2 ? 0 : 1)) return BAD_PARAM;
    }
    return 0;
}

static void describe(const struct descriptor *d, struct operation *o, int i) {
    struct tensor *t = &o->tensor[i];
    const struct attribute *sizes = attribute_of(d, A_SIZES, T_INT64);
    const struct attribute *strides = attribute_of(d, A_TENSOR_STRIDES, T_INT64);
    t->type = number_type((int)number(attribute_of(d, A_TYPE, T_DATA_TYPE), 0));
    t->dimensions = (int)sizes->count;
    for (int k = 0; k < t->dimensions; k++) {
        t->size[k] = number(sizes, k);
        t->stride[k] = number(strides, k);
    }
    o->name[i] = number(attribute_of(d, A_NAME, T_INT64), 0);
    o->alignment[i] = number(attribute_of(d, A_ALIGNMENT, T_INT64), 0);
}

static void print(char *text, const struct attribute *a) {
    for (int i = 0; i < a->count; i++) sprintf(text + strlen(text), " %ld", number(a, i));
}

/* "way dimensions compute-type mode", of x, w and y "type alignment sizes strides", then paddings before and after,
 * strides and dilations. */
static void ask(char *text, const struct descriptor *const *tensor, const struct descriptor *c, enum way way) {
    static const int names[] = {A_TYPE, A_ALIGNMENT, A_SIZES, A_TENSOR_STRIDES};
    sprintf(text, "%d %ld", way, attribute_of(tensor[0], A_SIZES, T_INT64)->count);
    print(text, attribute_of(c, A_COMPUTE, T_DATA_TYPE));
    print(text, attribute_of(c, A_MODE, T_MODE));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) print(text, attribute_of(tensor[i], names[k], k ? T_INT64 : T_DATA_TYPE));
    for (int k = 0; k < 4; k++) print(text, attribute_of(c, of_convolution[k], T_INT64));
}

// A factor has the type of the computation; 0 without it.
static int factor(const struct descriptor *d, int name, int compute, double *out) {
    const struct attribute *a = attribute_of(d, name, compute == 1 ? T_DOUBLE : T_FLOAT);
    float single;
    if (!a) return 0;
    if (compute == 1) memcpy(out, a->value, sizeof *out);
    else memcpy(&single, a->value, sizeof single), *out = single;
    return 1;
}

int finish_operation(struct descriptor *d) {
    // Attributes of each operation: alpha, beta, convolution, w, x, y; the gradients' have x after w likewise.
    int first = d->type == D_FORWARD ? A_FORWARD : d->type == D_DATA ? A_DATA : A_FILTER;
    const struct descriptor *c = held(d, first + 2);
    const struct descriptor *tensor[] = {held(d, first + 4), held(d, first + 3), held(d, first + 5)};
    if (!c || !tensor[0] || !tensor[1] || !tensor[2]) return NOT_FINISHED;
    struct operation *o = &d->operation;
    o->way = d->type == D_FORWARD ? FORWARD : d->type == D_DATA ? DATA : FILTER;
    for (int i = 0; i < 3; i++) describe(tensor[i], o, i);
    int compute = (int)number(attribute_of(c, A_COMPUTE, T_DATA_TYPE), 0);
    if (!factor(d, first, compute, &o->alpha) || !factor(d, first + 1, compute, &o->beta)) return BAD_PARAM;
    struct convolution *k = &o->convolution;
    k->spatial = (int)number(attribute_of(c, A_SPATIAL, T_INT64), 0);
    k->mode = (int)number(attribute_of(c, A_MODE, T_MODE), 0);
    k->groups = (int)(o->tensor[0].size[1] / o->tensor[1].size[1]);
    for (int i = 0; i < k->spatial; i++) {
        k->pad[i] = number(attribute_of(c, A_PRE, T_INT64), i);
        if (k->pad[i] != number(attribute_of(c, A_POST, T_INT64), i)) return NOT_SUPPORTED;
        k->stride[i] = number(attribute_of(c, A_STRIDES, T_INT64), i);
        k->dilation[i] = number(attribute_of(c, A_DILATIONS, T_INT64), i);
    }
    ask(o->question, tensor, c, o->way);
    return k->groups < 1 ? SHAPE_MISMATCH : convolution_fits(&o->tensor[0], &o->tensor[1], k, &o->tensor[2]);
}
