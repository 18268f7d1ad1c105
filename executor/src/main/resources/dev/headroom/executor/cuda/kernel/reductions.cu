// Reductions: T0 results, T1 operands. Sums are formed in double precision: the additions cost nothing beside the loads,
// and the result hardly depends on their order.

#define SUM 0
#define MAX 1
#define MIN 2
#define ANY 3
#define ALL 4
#define NORM 5

static inline __device__ double start(int kind) {
    return kind == MAX ? -INFINITY : kind == MIN ? INFINITY : kind == ALL ? 1 : 0;
}

// Numbers that are not numbers win, as in PyTorch.
static inline __device__ double step(int kind, double a, double b) {
    switch (kind) {
        case SUM:
        case NORM:
            return a + b;
        case MAX:
            return a > b || a != a ? a : b;
        case MIN:
            return a < b || a != a ? a : b;
        case ANY:
            return a != 0 || b != 0 ? 1 : 0;
        default:
            return a != 0 && b != 0 ? 1 : 0;
    }
}

// A block reduces blockDim.x lines; blockDim.y threads share a line. `kept` walks over the lines' first elements and
// `reduced` over a line.
extern "C" __global__ void __launch_bounds__(1024) reduce(
    int kind, int64_t lines, int64_t length, double factor, View<T0> result, View<T1> kept, View<T1> reduced) {
    __shared__ double partial[1024];
    int64_t line = thread_number();
    int slot = threadIdx.y * blockDim.x + threadIdx.x;
    double sum = start(kind);
    if (line < lines) {
        const T1 *first = &kept[line];
        for (int64_t i = threadIdx.y; i < length; i += blockDim.y) {
            double value = (double)first[reduced.place(i)];
            sum = kind == NORM ? sum + value * value : step(kind, sum, value);
        }
    }
    partial[slot] = sum;
    __syncthreads();
    for (int half = blockDim.y / 2; half > 0; half /= 2) {
        if (threadIdx.y < half) {
            partial[slot] = step(kind, partial[slot], partial[slot + half * blockDim.x]);
        }
        __syncthreads();
    }
    if (threadIdx.y == 0 && line < lines) {
        double all = kind == NORM ? sqrt(partial[slot]) : partial[slot];
        result[line] = Element<T0>::of(all * factor);
    }
}

// Running sums, a thread for each line. `first_*` walk over the lines' first elements.
extern "C" __global__ void cumulative_sum(
    int64_t lines, int64_t length, View<T0> first_result, int64_t result_stride, View<T1> first_operand,
    int64_t operand_stride) {
    int64_t line = thread_number();
    if (line >= lines) {
        return;
    }
    T0 *out = &first_result[line];
    const T1 *in = &first_operand[line];
    double sum = 0;
    for (int64_t i = 0; i < length; i++) {
        sum += (double)in[i * operand_stride];
        out[i * result_stride] = Element<T0>::of(sum);
    }
}

// The greatest or least element of each line and its place, the first of equal ones; a number that is none wins. A block
// for each line; T0 places, T1 values and operand. A null address: no values wanted.
extern "C" __global__ void extremes(
    int greatest, int64_t length, View<T0> places, View<T1> values, View<T1> first, int64_t stride) {
    __shared__ double best[256];
    __shared__ int64_t where[256];
    int64_t line = blockIdx.x;
    int thread = threadIdx.x;
    const T1 *in = &first[line];
    double own = 0;
    int64_t at = -1;
    for (int64_t i = thread; i < length; i += blockDim.x) {
        double value = (double)in[i * stride];
        if (at < 0 || (own == own && (value != value || (greatest ? value > own : value < own)))) {
            own = value;
            at = i;
        }
    }
    best[thread] = own;
    where[thread] = at;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (thread < half && where[thread + half] >= 0) {
            double a = best[thread], b = best[thread + half];
            int64_t i = where[thread], j = where[thread + half];
            bool same = a == b || (a != a && b != b);
            bool better = b != b ? a == a : greatest ? b > a : b < a;
            if (i < 0 || (same ? j < i : better)) {
                best[thread] = b;
                where[thread] = j;
            }
        }
        __syncthreads();
    }
    if (thread == 0) {
        places[line] = Element<T0>::of(where[0]);
        if (values.data) {
            values[line] = Element<T1>::of(best[0]);
        }
    }
}

// Variance and mean of each line, a block for each. T0 results, T1 operand. A null address: no mean wanted.
extern "C" __global__ void moments(
    int64_t length, double correction, View<T0> variance, View<T0> mean, View<T1> kept, View<T1> reduced) {
    int64_t line = blockIdx.x;
    const T1 *first = &kept[line];
    double sum = 0;
    for (int64_t i = threadIdx.x; i < length; i += blockDim.x) {
        sum += (double)first[reduced.place(i)];
    }
    double center = block_sum(sum) / length;
    double squares = 0;
    for (int64_t i = threadIdx.x; i < length; i += blockDim.x) {
        double d = (double)first[reduced.place(i)] - center;
        squares += d * d;
    }
    squares = block_sum(squares);
    if (threadIdx.x == 0) {
        double divisor = length - correction;
        variance[line] = Element<T0>::of(squares / (divisor > 0 ? divisor : 0));
        if (mean.data) {
            mean[line] = Element<T0>::of(center);
        }
    }
}
