// Reductions: T0 results, T1 operands. Sums are formed in double precision: the additions cost nothing beside the loads,
// and the result hardly depends on their order.

#define SUM 0
#define MAX 1
#define MIN 2
#define ANY 3
#define ALL 4
#define NORM 5
#define PRODUCT 6
#define POWERS 7
#define COUNT 8
#define GREATEST 9
#define LEAST 10
#define SUM_OF_NUMBERS 11

static inline __device__ double start(int kind) {
    return kind == MAX ? -INFINITY : kind == MIN || kind == LEAST ? INFINITY : kind == ALL || kind == PRODUCT ? 1 : 0;
}

// Numbers that are not numbers win, as in PyTorch.
static inline __device__ double step(int kind, double a, double b) {
    switch (kind) {
        case SUM:
        case NORM:
        case POWERS:
        case COUNT:
        case SUM_OF_NUMBERS:
            return a + b;
        case PRODUCT:
            return a * b;
        case MAX:
        case GREATEST:
            return a > b || a != a ? a : b;
        case MIN:
        case LEAST:
            return a < b || a != a ? a : b;
        case ANY:
            return a != 0 || b != 0 ? 1 : 0;
        default:
            return a != 0 && b != 0 ? 1 : 0;
    }
}

// What an element adds to a length.
static inline __device__ double measured(int kind, double value, double order) {
    switch (kind) {
        case NORM:
            return value * value;
        case POWERS:
            return pow(fabs(value), order);
        case COUNT:
            return value != 0 ? 1 : 0;
        case SUM_OF_NUMBERS:
            return value == value ? value : 0;
        case GREATEST:
        case LEAST:
            return fabs(value);
        default:
            return value;
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
            sum = step(kind, sum, measured(kind, value, factor));
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
        double all = partial[slot];
        result[line] =
            Element<T0>::of(kind == NORM ? sqrt(all) : kind == POWERS ? pow(all, 1 / factor) : all * factor);
    }
}

#define SCAN_SUM 0
#define SCAN_PRODUCT 1
#define SCAN_LOG_SUM_EXP 2
#define SCAN_MAX 3
#define SCAN_MIN 4

static inline __device__ double scanned(int scan, double before, double value) {
    if (scan == SCAN_SUM) {
        return before + value;
    }
    if (scan == SCAN_PRODUCT) {
        return before * value;
    }
    if (scan == SCAN_LOG_SUM_EXP) {
        double most = before > value ? before : value, least = before > value ? value : before;
        return isinf(most) ? most : most + log1p(exp(least - most));
    }
    bool wins = value != value || (scan == SCAN_MAX ? value >= before : value <= before);
    return before == before && wins ? value : before;
}

// Running sums, products or extremes, a thread for each line. `first_*` walk over the lines' first elements. A null
// address: no places wanted.
extern "C" __global__ void scan(
    int kind, int64_t lines, int64_t length, View<T0> first_result, int64_t result_stride, View<int64_t> first_places,
    int64_t places_stride, View<T1> first_operand, int64_t operand_stride) {
    int64_t line = thread_number();
    if (line >= lines) {
        return;
    }
    T0 *out = &first_result[line];
    const T1 *in = &first_operand[line];
    double all = 0;
    int64_t where = 0;
    for (int64_t i = 0; i < length; i++) {
        double value = (double)in[i * operand_stride];
        double next = i == 0 ? value : scanned(kind, all, value);
        where = next == value ? i : where;
        all = next;
        out[i * result_stride] = Element<T0>::of(all);
        if (first_places.data != nullptr) {
            (&first_places[line])[i * places_stride] = where;
        }
    }
}

// Elements by equal parts of a range, counted onto zeros; without `least_at` the range is given.
extern "C" __global__ void histogram(
    int64_t n, int64_t parts, T0 *counts, View<T1> x, const T1 *least_at, const T1 *most_at, double least, double most) {
    int64_t number = thread_number();
    if (number < n) {
        double from = least_at == nullptr ? least : (double)*least_at;
        double to = most_at == nullptr ? most : (double)*most_at;
        if (from == to) {
            from -= 1;
            to += 1;
        }
        double value = (double)x[number];
        if (value >= from && value <= to) {
            add_shared(&counts[min((int64_t)((value - from) * parts / (to - from)), parts - 1)], 1.0);
        }
    }
}

enum Choice { RANKED, MEDIAN, MEDIAN_OF_NUMBERS, COMMONEST };

// Whether an element comes before another in order; what is no number comes last, equal ones by their places.
static inline __device__ bool before(double a, int64_t at, double b, int64_t other) {
    bool none = a != a, no_other = b != b;
    if (none || no_other) {
        return none == no_other ? at < other : no_other;
    }
    return a == b ? at < other : a < b;
}

// An element of each line by its rank, or the most frequent one: every thread counts what comes before its elements. A
// block for each line; T0 places, T1 values and operand.
extern "C" __global__ void choose(
    int choice, int64_t rank, int64_t length, View<T0> places, View<T1> values, View<T1> first, int64_t stride) {
    int64_t line = blockIdx.x;
    const T1 *in = &first[line];
    double counted = 0;
    for (int64_t i = threadIdx.x; i < length; i += blockDim.x) {
        double value = (double)in[i * stride];
        counted += value == value ? 1 : 0;
    }
    int64_t numbers = (int64_t)block_sum(counted);
    if (choice == MEDIAN) {
        rank = numbers < length ? numbers : (length - 1) / 2;
    } else if (choice == MEDIAN_OF_NUMBERS) {
        rank = (numbers > 0 ? numbers - 1 : 0) / 2;
    }
    // Of the most frequent ones, the last of the least.
    double most = 0, least = -INFINITY;
    if (choice == COMMONEST) {
        double own = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (int64_t i = threadIdx.x; i < length; i += blockDim.x) {
                double value = (double)in[i * stride], equal = 0;
                for (int64_t j = 0; j < length; j++) {
                    equal += (double)in[j * stride] == value ? 1 : 0;
                }
                own = pass == 0 ? (equal > own ? equal : own) : own;
                least = pass == 1 && equal == most && -value > least ? -value : least;
            }
            most = pass == 0 ? block_max(own) : most;
        }
        least = -block_max(least);
    }
    for (int64_t i = threadIdx.x; i < length; i += blockDim.x) {
        double value = (double)in[i * stride];
        bool chosen = choice == COMMONEST && value == least;
        int64_t ahead = 0;
        for (int64_t j = 0; j < length; j++) {
            double other = (double)in[j * stride];
            ahead += choice == COMMONEST ? (other == value && j > i) : before(other, j, value, i);
        }
        if (choice == COMMONEST ? chosen && ahead == 0 : ahead == rank) {
            places[line] = Element<T0>::of(i);
            values[line] = in[i * stride];
        }
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

// The first elements of each line in order, with their places: an element goes where so many come before it. T0 values.
extern "C" __global__ void sorted(
    int64_t lines, int64_t length, int64_t wanted, int descending, View<T0> values, int64_t value_step,
    View<int64_t> places, int64_t place_step, View<T0> x, int64_t step) {
    int64_t number = thread_number();
    if (number >= lines * length) {
        return;
    }
    int64_t line = number / length, own = number % length;
    const T0 *from = &x[line];
    double value = (double)from[own * step];
    int64_t rank = 0;
    for (int64_t i = 0; i < length; i++) {
        double other = (double)from[i * step];
        bool before = descending ? other > value || (other != other && value == value)
                                 : other < value || (value != value && other == other);
        bool after = descending ? other < value || (value != value && other == other)
                                : other > value || (other != other && value == value);
        rank += before || (!after && i < own);
    }
    if (rank < wanted) {
        (&values[line])[rank * value_step] = from[own * step];
        (&places[line])[rank * place_step] = own;
    }
}
