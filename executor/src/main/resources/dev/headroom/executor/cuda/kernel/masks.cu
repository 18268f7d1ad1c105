// Elements that a mask picks. T0: all tensors but the mask.

// `counts` says how many the mask picks up to each place, that included.
extern "C" __global__ void masked_scatter(
    int64_t n, View<T0> result, View<bool> mask, const int64_t *counts, View<T0> source, int64_t most) {
    int64_t number = thread_number();
    if (number < n && mask[number] && counts[number] <= most) {
        result[number] = source[counts[number] - 1];
    }
}

// One thread goes over all elements.
extern "C" __global__ void masked_take(int64_t n, View<T0> line, View<bool> mask, View<T0> x, int64_t most) {
    if (thread_number() != 0) {
        return;
    }
    int64_t next = 0;
    for (int64_t i = 0; i < n && next < most; i++) {
        if (mask[i]) {
            line[next++] = x[i];
        }
    }
}
