// Normalisation of channels, groups and rows. T0: data; T1: weights and biases; T2: statistics of the batch; T3: running
// statistics. Data is seen with the channel first. Null addresses stand for what is not there or not wanted.

// Mean and variance of a line; every thread of the block gets them. The second pass keeps small variances exact.
template <class Line>
static inline __device__ void moments(Line line, int64_t n, double &mean, double &variance) {
    double sum = 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        sum += line(i);
    }
    mean = block_sum(sum) / n;
    double squares = 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        double d = line(i) - mean;
        squares += d * d;
    }
    variance = block_sum(squares) / n;
}

// A block for each channel of n elements.
extern "C" __global__ void __launch_bounds__(512) batch_norm(
    int64_t n, View<T0> out, View<T0> x, const T1 *weight, const T1 *bias, T3 *running_mean, T3 *running_variance,
    T2 *saved_mean, T2 *saved_invstd, double momentum, double epsilon) {
    int64_t c = blockIdx.x;
    const T0 *in = x.entry(c);
    double mean, variance;
    moments([&](int64_t i) { return (double)in[x.inner(i)]; }, n, mean, variance);
    double invstd = 1 / sqrt(variance + epsilon);
    if (threadIdx.x == 0) {
        saved_mean[c] = Element<T2>::of(mean);
        saved_invstd[c] = Element<T2>::of(invstd);
        if (running_mean) {
            running_mean[c] = Element<T3>::of((1 - momentum) * (double)running_mean[c] + momentum * mean);
        }
        if (running_variance) {
            double unbiased = variance * n / (n > 1 ? n - 1 : 1);
            running_variance[c] = Element<T3>::of((1 - momentum) * (double)running_variance[c] + momentum * unbiased);
        }
    }
    real scale = (real)(invstd * (weight ? (double)weight[c] : 1));
    real shift = (real)(bias ? (double)bias[c] : 0);
    T0 *to = out.entry(c);
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        to[out.inner(i)] = Element<T0>::of(((real)in[x.inner(i)] - (real)mean) * scale + shift);
    }
}

extern "C" __global__ void __launch_bounds__(512) batch_norm_evaluation(
    int64_t n, View<T0> out, View<T0> x, const T1 *weight, const T1 *bias, const T3 *mean, const T3 *variance,
    double epsilon) {
    int64_t c = blockIdx.x;
    const T0 *in = x.entry(c);
    real scale = (real)((weight ? (double)weight[c] : 1) / sqrt((double)variance[c] + epsilon));
    real shift = (real)(bias ? (double)bias[c] : 0);
    real center = (real)mean[c];
    T0 *to = out.entry(c);
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        to[out.inner(i)] = Element<T0>::of(((real)in[x.inner(i)] - center) * scale + shift);
    }
}

// `variance`: the second statistic is a variance to which epsilon is to be added. `constant`: the statistics do not
// depend on the data.
extern "C" __global__ void __launch_bounds__(512) batch_norm_backward(
    int64_t n, View<T0> grad_x, T1 *grad_weight, T1 *grad_bias, View<T0> g, View<T0> x, const T1 *weight,
    const T2 *saved_mean, const T2 *saved_spread, int variance, double epsilon, int constant) {
    int64_t c = blockIdx.x;
    const T0 *in = x.entry(c);
    const T0 *from = g.entry(c);
    double mean = (double)saved_mean[c];
    double invstd = variance ? 1 / sqrt((double)saved_spread[c] + epsilon) : (double)saved_spread[c];
    double sum = 0, product = 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        double d = (double)from[g.inner(i)];
        sum += d;
        product += d * ((double)in[x.inner(i)] - mean);
    }
    sum = block_sum(sum);
    product = block_sum(product) * invstd;
    if (threadIdx.x == 0) {
        if (grad_weight) {
            grad_weight[c] = Element<T1>::of(product);
        }
        if (grad_bias) {
            grad_bias[c] = Element<T1>::of(sum);
        }
    }
    if (!grad_x.data) {
        return;
    }
    real scale = (real)(invstd * (weight ? (double)weight[c] : 1));
    real level = constant ? 0 : (real)(sum / n);
    real slope = constant ? 0 : (real)(product / n * invstd);
    T0 *to = grad_x.entry(c);
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        real d = (real)from[g.inner(i)];
        to[grad_x.inner(i)] = Element<T0>::of((d - level - ((real)in[x.inner(i)] - (real)mean) * slope) * scale);
    }
}

// A block for each sample and group; `plane` elements of a channel. Tensors are numbered in row-major order.
extern "C" __global__ void __launch_bounds__(512) group_norm(
    int64_t channels, int64_t groups, int64_t plane, View<T0> out, View<T0> x, const T1 *weight, const T1 *bias,
    T2 *saved_mean, T2 *saved_rstd, double epsilon) {
    int64_t line = blockIdx.x;
    int64_t width = channels / groups;
    int64_t n = width * plane, first = line * n;
    double mean, variance;
    moments([&](int64_t i) { return (double)x[first + i]; }, n, mean, variance);
    double rstd = 1 / sqrt(variance + epsilon);
    if (threadIdx.x == 0) {
        saved_mean[line] = Element<T2>::of(mean);
        saved_rstd[line] = Element<T2>::of(rstd);
    }
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        int64_t c = line % groups * width + i / plane;
        real scale = (real)(rstd * (weight ? (double)weight[c] : 1));
        real shift = (real)(bias ? (double)bias[c] : 0);
        out[first + i] = Element<T0>::of(((real)x[first + i] - (real)mean) * scale + shift);
    }
}

extern "C" __global__ void __launch_bounds__(512) group_norm_backward(
    int64_t channels, int64_t groups, int64_t plane, View<T0> grad_x, View<T0> g, View<T0> x, const T1 *weight,
    const T2 *saved_mean, const T2 *saved_rstd) {
    int64_t line = blockIdx.x;
    int64_t width = channels / groups;
    int64_t n = width * plane, first = line * n;
    double mean = (double)saved_mean[line], rstd = (double)saved_rstd[line];
    double sum = 0, product = 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        int64_t c = line % groups * width + i / plane;
        double d = (double)g[first + i] * (weight ? (double)weight[c] : 1);
        sum += d;
        product += d * ((double)x[first + i] - mean) * rstd;
    }
    sum = block_sum(sum) / n;
    product = block_sum(product) / n;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        int64_t c = line % groups * width + i / plane;
        double d = (double)g[first + i] * (weight ? (double)weight[c] : 1);
        double normal = ((double)x[first + i] - mean) * rstd;
        grad_x[first + i] = Element<T0>::of((d - sum - normal * product) * rstd);
    }
}

// A block for each channel.
extern "C" __global__ void __launch_bounds__(512) group_norm_weight_backward(
    int64_t samples, int64_t channels, int64_t groups, int64_t plane, T1 *grad_weight, T1 *grad_bias, View<T0> g,
    View<T0> x, const T2 *saved_mean, const T2 *saved_rstd) {
    int64_t c = blockIdx.x;
    double sum = 0, product = 0;
    for (int64_t i = threadIdx.x; i < samples * plane; i += blockDim.x) {
        int64_t sample = i / plane, line = sample * groups + c / (channels / groups);
        int64_t at = (sample * channels + c) * plane + i % plane;
        double d = (double)g[at];
        sum += d;
        product += d * ((double)x[at] - (double)saved_mean[line]) * (double)saved_rstd[line];
    }
    sum = block_sum(sum);
    product = block_sum(product);
    if (threadIdx.x == 0) {
        if (grad_weight) {
            grad_weight[c] = Element<T1>::of(product);
        }
        if (grad_bias) {
            grad_bias[c] = Element<T1>::of(sum);
        }
    }
}

// A block for each row of n elements; rows are packed.
extern "C" __global__ void __launch_bounds__(512) layer_norm(
    int64_t n, T0 *out, T2 *saved_mean, T2 *saved_rstd, const T0 *x, const T1 *weight, const T1 *bias,
    double epsilon) {
    int64_t row = blockIdx.x;
    const T0 *in = x + row * n;
    double mean, variance;
    moments([&](int64_t i) { return (double)in[i]; }, n, mean, variance);
    if (!saved_mean) { // root mean squares: nothing is taken off
        variance += mean * mean;
        mean = 0;
    }
    double rstd = 1 / sqrt(variance + epsilon);
    if (threadIdx.x == 0) {
        if (saved_mean) {
            saved_mean[row] = Element<T2>::of(mean);
        }
        saved_rstd[row] = Element<T2>::of(rstd);
    }
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        real scale = weight ? (real)weight[i] : 1;
        real shift = bias ? (real)bias[i] : 0;
        out[row * n + i] = Element<T0>::of(((real)in[i] - (real)mean) * (real)rstd * scale + shift);
    }
}

extern "C" __global__ void __launch_bounds__(512) layer_norm_backward(
    int64_t n, T0 *grad_x, const T0 *g, const T0 *x, const T2 *saved_mean, const T2 *saved_rstd, const T1 *weight) {
    int64_t row = blockIdx.x;
    const T0 *in = x + row * n;
    const T0 *from = g + row * n;
    double mean = saved_mean ? (double)saved_mean[row] : 0, rstd = (double)saved_rstd[row];
    double sum = 0, product = 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        double d = (double)from[i] * (weight ? (double)weight[i] : 1);
        sum += saved_mean ? d : 0;
        product += d * ((double)in[i] - mean) * rstd;
    }
    sum = block_sum(sum) / n;
    product = block_sum(product) / n;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        double d = (double)from[i] * (weight ? (double)weight[i] : 1);
        grad_x[row * n + i] = Element<T0>::of((d - sum - ((double)in[i] - mean) * rstd * product) * rstd);
    }
}

// 32 columns a block; blockDim.y threads share the rows of one.
extern "C" __global__ void layer_norm_weight_backward(
    int64_t rows, int64_t n, T1 *grad_weight, T1 *grad_bias, const T0 *g, const T0 *x, const T2 *saved_mean,
    const T2 *saved_rstd) {
    __shared__ double sums[1024], products[1024];
    int64_t column = thread_number();
    int slot = threadIdx.y * blockDim.x + threadIdx.x;
    double sum = 0, product = 0;
    for (int64_t row = threadIdx.y; column < n && row < rows; row += blockDim.y) {
        double d = (double)g[row * n + column];
        sum += d;
        double mean = saved_mean ? (double)saved_mean[row] : 0;
        product += d * ((double)x[row * n + column] - mean) * (double)saved_rstd[row];
    }
    sums[slot] = sum;
    products[slot] = product;
    __syncthreads();
    for (int half = blockDim.y / 2; half > 0; half /= 2) {
        if (threadIdx.y < half) {
            sums[slot] += sums[slot + half * blockDim.x];
            products[slot] += products[slot + half * blockDim.x];
        }
        __syncthreads();
    }
    if (threadIdx.y == 0 && column < n) {
        if (grad_weight) {
            grad_weight[column] = Element<T1>::of(products[slot]);
        }
        if (grad_bias) {
            grad_bias[column] = Element<T1>::of(sums[slot]);
        }
    }
}
