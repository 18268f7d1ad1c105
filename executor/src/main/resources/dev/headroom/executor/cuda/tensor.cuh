// Put before every kernel file, after the type names T0, T1, ... of its tensors and `real`, the type to compute in.

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
static __device__ int64_t thread_number() {
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}
