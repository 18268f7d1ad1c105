// Random numbers, the same as the host backend's: product and sum are rounded one by one, as Java rounds them.

extern "C" __global__ void uniform(int64_t n, View<T0> result, double from, double to, int64_t seed) {
    int64_t i = thread_number();
    if (i < n) {
        result[i] = Element<T0>::of(__dadd_rn(from, __dmul_rn(to - from, draw(seed, i))));
    }
}

extern "C" __global__ void bernoulli(int64_t n, View<T0> result, double probability, int64_t seed) {
    int64_t i = thread_number();
    if (i < n) {
        result[i] = Element<T0>::of(draw(seed, i) < probability ? 1 : 0);
    }
}

// Normally distributed (Box and Muller), of two uniform numbers for each.
extern "C" __global__ void normal(int64_t n, View<T0> result, double mean, double deviation, int64_t seed) {
    int64_t i = thread_number();
    if (i < n) {
        double length = sqrt(-2 * log(1 - draw(seed, i)));
        result[i] = Element<T0>::of(mean + deviation * length * cos(6.283185307179586 * draw(~seed, i)));
    }
}
