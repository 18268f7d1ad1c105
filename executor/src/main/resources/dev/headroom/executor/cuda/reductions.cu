// Reductions: T0 results, T1 operands. Sums are formed in double precision: the additions cost nothing beside the loads,
// and the result hardly depends on their order.

#define SUM 0
#define MAX 1
#define MIN 2
#define ANY 3
#define ALL 4

static __device__ double start(int kind) {
    return kind == MAX ? -INFINITY : kind == MIN ? INFINITY : kind == ALL ? 1 : 0;
}

// Numbers that are not numbers win, as in PyTorch.
static __device__ double step(int kind, double a, double b) {
    switch (kind) {
        case SUM:
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
extern "C" __global__ void reduce(
    int kind, int64_t lines, int64_t length, double factor, View<T0> result, View<T1> kept, View<T1> reduced) {
    __shared__ double partial[1024];
    int64_t line = thread_number();
    int slot = threadIdx.y * blockDim.x + threadIdx.x;
    double sum = start(kind);
    if (line < lines) {
        const T1 *first = &kept[line];
        for (int64_t i = threadIdx.y; i < length; i += blockDim.y) {
            sum = step(kind, sum, (double)first[reduced.place(i)]);
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
        result[line] = Element<T0>::of(partial[slot] * factor);
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
