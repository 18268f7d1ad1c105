// Softmax of lines of n elements that lie `inner` apart, a block for each line. T0 results, T1 and T2 operands.

static inline __device__ int64_t first_of_line(int64_t n, int64_t inner) {
    int64_t line = blockIdx.x;
    return line / inner * inner * n + line % inner;
}

extern "C" __global__ void __launch_bounds__(512) softmax(int64_t n, int64_t inner, int log_wanted, T0 *result, const T1 *x) {
    int64_t first = first_of_line(n, inner);
    double most = -INFINITY;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        double value = (double)x[first + i * inner];
        most = most > value || most != most ? most : value;
    }
    most = block_max(most);
    double sum = 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        sum += (double)exp((real)((double)x[first + i * inner] - most));
    }
    sum = block_sum(sum);
    double log_sum = log(sum);
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        int64_t at = first + i * inner;
        double shifted = (double)x[at] - most;
        result[at] = Element<T0>::of(log_wanted ? shifted - log_sum : (double)exp((real)shifted) / sum);
    }
}

extern "C" __global__ void __launch_bounds__(512) softmax_gradient(
    int64_t n, int64_t inner, int log_wanted, T0 *gradient, const T1 *g, const T2 *y) {
    int64_t first = first_of_line(n, inner);
    double sum = 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        int64_t at = first + i * inner;
        sum += log_wanted ? (double)g[at] : (double)g[at] * (double)y[at];
    }
    sum = block_sum(sum);
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        int64_t at = first + i * inner;
        double value = log_wanted ? (double)g[at] - (double)exp((real)y[at]) * sum : (double)y[at] * ((double)g[at] - sum);
        gradient[at] = Element<T0>::of(value);
    }
}
