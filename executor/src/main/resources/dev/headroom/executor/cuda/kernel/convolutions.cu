// Convolutions that cuDNN is not asked for or does not have, with two or three spatial dimensions; those with two have a
// first one of size 1. T0: all tensors. A thread, or for weights a block, sums up one element.

struct Geometry {
    int64_t groups;
    int64_t stride[3], padding[3], dilation[3];
    int64_t batch, channels, filters;
    int64_t input[3], kernel[3], output[3];
};

// Where an input element meets an output element through a kernel element; negative when nowhere.
static inline __device__ int64_t output_at(const Geometry &g, int d, int64_t input, int64_t kernel) {
    int64_t at = input + g.padding[d] - kernel * g.dilation[d];
    return at < 0 || at % g.stride[d] != 0 || at / g.stride[d] >= g.output[d] ? -1 : at / g.stride[d];
}

static inline __device__ int64_t input_at(const Geometry &g, int d, int64_t output, int64_t kernel) {
    int64_t at = output * g.stride[d] - g.padding[d] + kernel * g.dilation[d];
    return at < 0 || at >= g.input[d] ? -1 : at;
}

static inline __device__ int64_t at5(const View<T0> &v, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e) {
    return a * v.stride[0] + b * v.stride[1] + c * v.stride[2] + d * v.stride[3] + e * v.stride[4];
}

static inline __device__ void split(int64_t &rest, int64_t size, int64_t &coordinate) {
    coordinate = rest % size;
    rest /= size;
}

extern "C" __global__ void convolve_output(
    int64_t n, Geometry g, View<T0> input, View<T0> weight, View<T0> output) {
    int64_t rest = thread_number(), o[3], filter;
    if (rest >= n) {
        return;
    }
    split(rest, g.output[2], o[2]);
    split(rest, g.output[1], o[1]);
    split(rest, g.output[0], o[0]);
    split(rest, g.filters, filter);
    int64_t channels = g.channels / g.groups, first = filter / (g.filters / g.groups) * channels;
    double sum = 0;
    for (int64_t z = 0; z < g.kernel[0]; z++) {
        int64_t iz = input_at(g, 0, o[0], z);
        for (int64_t y = 0; iz >= 0 && y < g.kernel[1]; y++) {
            int64_t iy = input_at(g, 1, o[1], y);
            for (int64_t x = 0; iy >= 0 && x < g.kernel[2]; x++) {
                int64_t ix = input_at(g, 2, o[2], x);
                for (int64_t c = 0; ix >= 0 && c < channels; c++) {
                    sum += (double)input.data[at5(input, rest, first + c, iz, iy, ix)] *
                           (double)weight.data[at5(weight, filter, c, z, y, x)];
                }
            }
        }
    }
    output.data[at5(output, rest, filter, o[0], o[1], o[2])] = Element<T0>::of(sum);
}

extern "C" __global__ void convolve_input_gradient(
    int64_t n, Geometry g, View<T0> input, View<T0> weight, View<T0> output) {
    int64_t rest = thread_number(), i[3], channel;
    if (rest >= n) {
        return;
    }
    split(rest, g.input[2], i[2]);
    split(rest, g.input[1], i[1]);
    split(rest, g.input[0], i[0]);
    split(rest, g.channels, channel);
    int64_t channels = g.channels / g.groups, filters = g.filters / g.groups;
    int64_t first = channel / channels * filters;
    double sum = 0;
    for (int64_t z = 0; z < g.kernel[0]; z++) {
        int64_t oz = output_at(g, 0, i[0], z);
        for (int64_t y = 0; oz >= 0 && y < g.kernel[1]; y++) {
            int64_t oy = output_at(g, 1, i[1], y);
            for (int64_t x = 0; oy >= 0 && x < g.kernel[2]; x++) {
                int64_t ox = output_at(g, 2, i[2], x);
                for (int64_t f = first; ox >= 0 && f < first + filters; f++) {
                    sum += (double)output.data[at5(output, rest, f, oz, oy, ox)] *
                           (double)weight.data[at5(weight, f, channel % channels, z, y, x)];
                }
            }
        }
    }
    input.data[at5(input, rest, channel, i[0], i[1], i[2])] = Element<T0>::of(sum);
}

extern "C" __global__ void convolve_weight_gradient(Geometry g, View<T0> input, View<T0> weight, View<T0> output) {
    int64_t rest = blockIdx.x, k[3], channel;
    split(rest, g.kernel[2], k[2]);
    split(rest, g.kernel[1], k[1]);
    split(rest, g.kernel[0], k[0]);
    int64_t channels = g.channels / g.groups;
    split(rest, channels, channel);
    int64_t filter = rest, source = filter / (g.filters / g.groups) * channels + channel;
    int64_t n = g.batch * g.output[0] * g.output[1] * g.output[2];
    double sum = 0;
    for (int64_t number = threadIdx.x; number < n; number += blockDim.x) {
        int64_t sample = number, o[3], i[3];
        split(sample, g.output[2], o[2]);
        split(sample, g.output[1], o[1]);
        split(sample, g.output[0], o[0]);
        for (int d = 0; d < 3; d++) {
            i[d] = input_at(g, d, o[d], k[d]);
        }
        if (i[0] >= 0 && i[1] >= 0 && i[2] >= 0) {
            sum += (double)input.data[at5(input, sample, source, i[0], i[1], i[2])] *
                   (double)output.data[at5(output, sample, filter, o[0], o[1], o[2])];
        }
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        weight.data[at5(weight, filter, channel, k[0], k[1], k[2])] = Element<T0>::of(sum);
    }
}
