// Random numbers, the same as the host backend's: each depends on the seed and on the element's number alone.
// The products and sums are rounded one by one, as Java rounds them.

static __device__ uint64_t mixed(uint64_t n) {
    uint64_t z = (n ^ (n >> 30)) * 0xBF58476D1CE4E5B9UL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBUL;
    return z ^ (z >> 31);
}

// In [0, 1), with 24 bits.
static __device__ double draw(int64_t seed, int64_t element) {
    return (double)(mixed((uint64_t)seed + (uint64_t)element * 0x9E3779B97F4A7C15UL) >> 40) / 16777216.0;
}

extern "C" __global__ void uniform(int64_t n, View<T0> result, double from, double to, int64_t seed) {
    int64_t i = thread_number();
    if (i < n) {
        result[i] = Element<T0>::of(from + (to - from) * draw(seed, i));
    }
}

extern "C" __global__ void bernoulli(int64_t n, View<T0> result, double probability, int64_t seed) {
    int64_t i = thread_number();
    if (i < n) {
        result[i] = Element<T0>::of(draw(seed, i) < probability ? 1 : 0);
    }
}
