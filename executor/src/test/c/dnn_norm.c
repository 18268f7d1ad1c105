// Batch normalisation of the null cuDNN, spatial modes: statistics for each channel over all other dimensions.
// Parameters are float, or double with double data. Sums are kept in double.
#include "dnn.h"

struct data { const struct tensor *d; const void *p; };

static int parameter_type(const struct tensor *x) { return x->type == R_64F ? R_64F : R_32F; }

static int checked(void *handle, int mode, const struct tensor *x, const void *px, const struct tensor *y,
                   const void *py, const struct tensor *bn) {
    if (!null_is_object(handle, OBJECT_DNN)) return NOT_INITIALIZED;
    if (!tensor_ok(x, OBJECT_TENSOR) || !tensor_ok(y, OBJECT_TENSOR) || !tensor_ok(bn, OBJECT_TENSOR)) return BAD_PARAM;
    if ((mode != 1 && mode != 2) || x->dimensions < 4 || x->dimensions > 5) return NOT_SUPPORTED;
    if (x->dimensions != y->dimensions || bn->type != parameter_type(x)) return BAD_PARAM;
    for (int i = 0; i < x->dimensions; i++)
        if (x->size[i] != y->size[i] || bn->size[i] != (i == 1 ? x->size[1] : 1)) return SHAPE_MISMATCH;
    return tensor_in_memory(x, px) && tensor_in_memory(y, py) ? 0 : EXECUTION_FAILED;
}

// The i-th element of one channel, in the order of the other dimensions.
static int64_t place(const struct tensor *t, int64_t channel, int64_t i) {
    int64_t at = channel * t->stride[1];
    for (int d = t->dimensions - 1; d >= 0; d--) {
        if (d == 1) continue;
        at += i % t->size[d] * t->stride[d];
        i /= t->size[d];
    }
    return at;
}

static double value(struct data t, int64_t channel, int64_t i) { return get_number(t.p, place(t.d, channel, i), t.d->type); }

static void blend(void *p, int64_t at, int type, double by, double keep, double v) {
    put_number(p, at, type, by * v + (keep != 0 ? keep * get_number(p, at, type) : 0));
}

static void statistics(struct data x, int64_t channel, int64_t count, double *mean, double *variance) {
    *mean = *variance = 0;
    for (int64_t i = 0; i < count; i++) *mean += value(x, channel, i) / count;
    for (int64_t i = 0; i < count; i++) {
        double off = value(x, channel, i) - *mean;
        *variance += off * off / count;
    }
}

static void normalize(struct data x, const struct tensor *yd, void *y, int64_t c, int64_t count, double mean,
                      double inverse, const void *scale, const void *bias, double by, double keep) {
    int type = parameter_type(x.d);
    for (int64_t i = 0; i < count; i++) {
        double v = (value(x, c, i) - mean) * inverse * get_number(scale, c, type) + get_number(bias, c, type);
        blend(y, place(yd, c, i), yd->type, by, keep, v);
    }
}

static void running(void *p, int64_t c, int type, double factor, double v) {
    if (p) put_number(p, c, type, factor * v + (1 - factor) * get_number(p, c, type));
}

static int train(void *handle, int mode, const void *alpha, const void *beta, const struct tensor *xd, const void *x,
                 const struct tensor *yd, void *y, const struct tensor *bn, const void *scale, const void *bias,
                 double factor, void *running_mean, void *running_variance, double epsilon, void *saved_mean,
                 void *saved_inverse) {
    int status = checked(handle, mode, xd, x, yd, y, bn);
    if (status) return status;
    const void *inputs[] = {scale, bias};
    void *outputs[] = {running_mean, running_variance, saved_mean, saved_inverse};
    for (int i = 0; i < 2; i++)
        if (!tensor_in_memory(bn, inputs[i])) return EXECUTION_FAILED;
    for (int i = 0; i < 4; i++)
        if (outputs[i] && !tensor_in_memory(bn, outputs[i])) return EXECUTION_FAILED;
    if (!null_control()->emulate) return 0;
    int type = parameter_type(xd);
    int64_t count = tensor_elements(xd) / xd->size[1];
    for (int64_t c = 0; c < xd->size[1]; c++) {
        double mean, variance;
        statistics((struct data){xd, x}, c, count, &mean, &variance);
        double inverse = 1 / sqrt(variance + epsilon);
        normalize((struct data){xd, x}, yd, y, c, count, mean, inverse, scale, bias, scalar(alpha, xd), scalar(beta, xd));
        running(running_mean, c, type, factor, mean);
        // The running variance is the unbiased one.
        running(running_variance, c, type, factor, count > 1 ? variance * count / (count - 1) : variance);
        if (saved_mean) put_number(saved_mean, c, type, mean);
        if (saved_inverse) put_number(saved_inverse, c, type, inverse);
    }
    return 0;
}

static int backward(void *handle, int mode, const void *alpha, const void *beta, const void *alpha_p,
                    const void *beta_p, const struct tensor *xd, const void *x, const struct tensor *dyd,
                    const void *dy, const struct tensor *dxd, void *dx, const struct tensor *bn, const void *scale,
                    void *dscale, void *dbias, double epsilon, const void *saved_mean, const void *saved_inverse) {
    int status = checked(handle, mode, xd, x, dyd, dy, bn);
    if (status == 0) status = checked(handle, mode, xd, x, dxd, dx, bn);
    if (status) return status;
    if (!tensor_in_memory(bn, scale) || !tensor_in_memory(bn, dscale) || !tensor_in_memory(bn, dbias)) return EXECUTION_FAILED;
    if (!saved_mean != !saved_inverse) return BAD_PARAM;
    if (saved_mean && (!tensor_in_memory(bn, saved_mean) || !tensor_in_memory(bn, saved_inverse))) return EXECUTION_FAILED;
    if (!null_control()->emulate) return 0;
    int type = parameter_type(xd);
    struct data input = {xd, x}, gradient = {dyd, dy};
    int64_t count = tensor_elements(xd) / xd->size[1];
    for (int64_t c = 0; c < xd->size[1]; c++) {
        double mean, variance, sum = 0, product = 0;
        statistics(input, c, count, &mean, &variance);
        double inverse = 1 / sqrt(variance + epsilon);
        if (saved_mean) {
            mean = get_number(saved_mean, c, type);
            inverse = get_number(saved_inverse, c, type);
        }
        for (int64_t i = 0; i < count; i++) {
            sum += value(gradient, c, i);
            product += value(gradient, c, i) * (value(input, c, i) - mean) * inverse;
        }
        double gain = get_number(scale, c, type) * inverse;
        for (int64_t i = 0; i < count; i++) {
            double normal = (value(input, c, i) - mean) * inverse;
            double v = gain * (value(gradient, c, i) - sum / count - normal * product / count);
            blend(dx, place(dxd, c, i), dxd->type, scalar(alpha, xd), scalar(beta, xd), v);
        }
        blend(dscale, c, type, scalar(alpha_p, xd), scalar(beta_p, xd), product);
        blend(dbias, c, type, scalar(alpha_p, xd), scalar(beta_p, xd), sum);
    }
    return 0;
}

int cudnnBatchNormalizationForwardTraining(void *handle, int mode, const void *alpha, const void *beta,
                                           const struct tensor *xd, const void *x, const struct tensor *yd, void *y,
                                           const struct tensor *bn, const void *scale, const void *bias, double factor,
                                           void *running_mean, void *running_variance, double epsilon,
                                           void *saved_mean, void *saved_inverse) {
    ENTER("cudnnBatchNormalizationForwardTraining");
    return train(handle, mode, alpha, beta, xd, x, yd, y, bn, scale, bias, factor, running_mean, running_variance,
                 epsilon, saved_mean, saved_inverse);
}

// The Ex functions are known without a fused addition or activation; their workspaces and reserve are 0 bytes.
int cudnnBatchNormalizationForwardTrainingEx(
        void *handle, int mode, int operations, const void *alpha, const void *beta, const struct tensor *xd,
        const void *x, const struct tensor *zd, const void *z, const struct tensor *yd, void *y,
        const struct tensor *bn, const void *scale, const void *bias, double factor, void *running_mean,
        void *running_variance, double epsilon, void *saved_mean, void *saved_inverse, void *activation,
        void *workspace, size_t workspace_bytes, void *reserve, size_t reserve_bytes) {
    (void)zd, (void)z, (void)activation, (void)workspace, (void)workspace_bytes, (void)reserve, (void)reserve_bytes;
    ENTER("cudnnBatchNormalizationForwardTrainingEx");
    if (operations != 0) return NOT_SUPPORTED;
    return train(handle, mode, alpha, beta, xd, x, yd, y, bn, scale, bias, factor, running_mean, running_variance,
                 epsilon, saved_mean, saved_inverse);
}

int cudnnBatchNormalizationForwardInference(void *handle, int mode, const void *alpha, const void *beta,
                                            const struct tensor *xd, const void *x, const struct tensor *yd, void *y,
                                            const struct tensor *bn, const void *scale, const void *bias,
                                            const void *mean, const void *variance, double epsilon) {
    ENTER("cudnnBatchNormalizationForwardInference");
    int status = checked(handle, mode, xd, x, yd, y, bn);
    if (status) return status;
    const void *parameters[] = {scale, bias, mean, variance};
    for (int i = 0; i < 4; i++)
        if (!tensor_in_memory(bn, parameters[i])) return EXECUTION_FAILED;
    if (!null_control()->emulate) return 0;
    int type = parameter_type(xd);
    for (int64_t c = 0; c < xd->size[1]; c++)
        normalize((struct data){xd, x}, yd, y, c, tensor_elements(xd) / xd->size[1], get_number(mean, c, type),
                  1 / sqrt(get_number(variance, c, type) + epsilon), scale, bias, scalar(alpha, xd), scalar(beta, xd));
    return 0;
}

int cudnnBatchNormalizationBackward(void *handle, int mode, const void *alpha, const void *beta, const void *alpha_p,
                                    const void *beta_p, const struct tensor *xd, const void *x,
                                    const struct tensor *dyd, const void *dy, const struct tensor *dxd, void *dx,
                                    const struct tensor *bn, const void *scale, void *dscale, void *dbias,
                                    double epsilon, const void *saved_mean, const void *saved_inverse) {
    ENTER("cudnnBatchNormalizationBackward");
    return backward(handle, mode, alpha, beta, alpha_p, beta_p, xd, x, dyd, dy, dxd, dx, bn, scale, dscale, dbias,
                    epsilon, saved_mean, saved_inverse);
}

int cudnnBatchNormalizationBackwardEx(
        void *handle, int mode, int operations, const void *alpha, const void *beta, const void *alpha_p,
        const void *beta_p, const struct tensor *xd, const void *x, const struct tensor *yd, const void *y,
        const struct tensor *dyd, const void *dy, const struct tensor *dzd, void *dz, const struct tensor *dxd,
        void *dx, const struct tensor *bn, const void *scale, const void *bias, void *dscale, void *dbias,
        double epsilon, const void *saved_mean, const void *saved_inverse, void *activation, void *workspace,
        size_t workspace_bytes, void *reserve, size_t reserve_bytes) {
    (void)yd, (void)y, (void)dzd, (void)dz, (void)bias, (void)activation, (void)workspace, (void)workspace_bytes;
    (void)reserve, (void)reserve_bytes;
    ENTER("cudnnBatchNormalizationBackwardEx");
    if (operations != 0) return NOT_SUPPORTED;
    return backward(handle, mode, alpha, beta, alpha_p, beta_p, xd, x, dyd, dy, dxd, dx, bn, scale, dscale, dbias,
                    epsilon, saved_mean, saved_inverse);
}

int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
        void *handle, int mode, int operations, const struct tensor *x, const struct tensor *z, const struct tensor *y,
        const struct tensor *bn, void *activation, size_t *bytes) {
    (void)handle, (void)mode, (void)operations, (void)x, (void)z, (void)y, (void)bn, (void)activation;
    *bytes = 0;
    return 0;
}

int cudnnGetBatchNormalizationBackwardExWorkspaceSize(
        void *handle, int mode, int operations, const struct tensor *x, const struct tensor *y, const struct tensor *dy,
        const struct tensor *dz, const struct tensor *dx, const struct tensor *bn, void *activation, size_t *bytes) {
    (void)handle, (void)mode, (void)operations, (void)x, (void)y, (void)dy, (void)dz, (void)dx, (void)bn;
    (void)activation;
    *bytes = 0;
    return 0;
}

int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(void *handle, int mode, int operations, void *activation,
                                                         const struct tensor *x, size_t *bytes) {
    (void)handle, (void)mode, (void)operations, (void)activation, (void)x;
    *bytes = 0;
    return 0;
}
