// Put before every kernel file, after the type names T0, T1, ... of its tensors and `real`, the type to compute in.
// Kernels that run with more than 256 threads in a block have launch bounds: the compiler must spare registers for them.

// At most this many dimensions.
#define DIMS 8

// A tensor as the host describes it; sizes and strides in elements, outermost dimension first.
template <class T>
struct View {
    T *data;
    int64_t dims;
    int64_t size[DIMS];
    int64_t stride[DIMS];

    // Place of an element given by its number in row-major order.
    __device__ int64_t place(int64_t element) const {
        int64_t at = 0;
        for (int d = (int)dims - 1; d > 0; d--) {
            int64_t rest = element / size[d];
            at += (element - rest * size[d]) * stride[d];
            element = rest;
        }
        return dims == 0 ? 0 : at + element * stride[0];
    }

    // Place of an element of the first entry, by its number among the dimensions after the first.
    __device__ int64_t inner(int64_t element) const {
        int64_t at = 0;
        for (int d = (int)dims - 1; d > 1; d--) {
            int64_t rest = element / size[d];
            at += (element - rest * size[d]) * stride[d];
            element = rest;
        }
        return dims < 2 ? 0 : at + element * stride[1];
    }

    // An entry of the first dimension.
    __device__ T *entry(int64_t number) const {
        return data + number * stride[0];
    }

    __device__ T &operator[](int64_t element) const {
        return data[place(element)];
    }

    __device__ T &at(int64_t a, int64_t b) const {
        return data[a * stride[0] + b * stride[1]];
    }

    __device__ T &at(int64_t a, int64_t b, int64_t c) const {
        return data[a * stride[0] + b * stride[1] + c * stride[2]];
    }

    __device__ T &at(int64_t a, int64_t b, int64_t c, int64_t d) const {
        return data[a * stride[0] + b * stride[1] + c * stride[2] + d * stride[3]];
    }
};

// Numbers become elements: floating-point types round, integers drop the fraction, anything but 0 is true.
template <class T>
struct Element {
    template <class R>
    static __device__ T of(R value) {
        return (T)(int64_t)value;
    }
};

template <>
struct Element<float> {
    template <class R>
    static __device__ float of(R value) {
        return (float)value;
    }
};

template <>
struct Element<double> {
    template <class R>
    static __device__ double of(R value) {
        return (double)value;
    }
};

template <>
struct Element<__half> {
    template <class R>
    static __device__ __half of(R value) {
        return __half((float)value);
    }
};

template <>
struct Element<__nv_bfloat16> {
    template <class R>
    static __device__ __nv_bfloat16 of(R value) {
        return __nv_bfloat16((float)value);
    }
};

template <>
struct Element<bool> {
    template <class R>
    static __device__ bool of(R value) {
        return value != 0;
    }
};

// The number of the running thread in a one-dimensional grid.
static inline __device__ int64_t thread_number() {
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

// Adds to an element that other threads add to as well. Small types are changed within their word.
template <class T>
static inline __device__ void add_shared(T *place, double value) {
    if constexpr (sizeof(T) >= 4) {
        atomicAdd(place, (T)value);
    } else {
        uint64_t within = (uint64_t)place & 3;
        unsigned int *word = (unsigned int *)((uint64_t)place - within);
        unsigned int seen = *word, before;
        do {
            before = seen;
            unsigned int next = before;
            T *element = (T *)((char *)&next + within);
            *element = Element<T>::of((double)*element + value);
            seen = atomicCAS(word, before, next);
        } while (seen != before);
    }
}

static inline __device__ void add_shared(int64_t *place, double value) {
    atomicAdd((unsigned long long *)place, (unsigned long long)(int64_t)value);
}

// The sum over a block of at most 1,024 threads, a power of two; every thread gets it.
static inline __device__ double block_sum(double value) {
    __shared__ double partial[1024];
    int thread = threadIdx.x;
    partial[thread] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (thread < half) {
            partial[thread] += partial[thread + half];
        }
        __syncthreads();
    }
    double sum = partial[0];
    __syncthreads();
    return sum;
}

// The greatest number of a block, likewise.
static inline __device__ double block_max(double value) {
    __shared__ double partial[1024];
    int thread = threadIdx.x;
    partial[thread] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (thread < half) {
            double other = partial[thread + half];
            partial[thread] = partial[thread] > other || partial[thread] != partial[thread] ? partial[thread] : other;
        }
        __syncthreads();
    }
    double most = partial[0];
    __syncthreads();
    return most;
}

// Random numbers: each depends on the seed and on the element's number alone.
static inline __device__ uint64_t mixed(uint64_t n) {
    uint64_t z = (n ^ (n >> 30)) * 0xBF58476D1CE4E5B9UL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBUL;
    return z ^ (z >> 31);
}

// In [0, 1), with 24 bits.
static inline __device__ double draw(int64_t seed, int64_t element) {
    return (double)(mixed((uint64_t)seed + (uint64_t)element * 0x9E3779B97F4A7C15UL) >> 40) / 16777216.0;
}
