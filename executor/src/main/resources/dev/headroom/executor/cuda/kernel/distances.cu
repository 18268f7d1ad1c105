// Lengths of the differences of all pairs of rows, of some order. T0: all tensors, which are (n, rows, inner).

static inline __device__ double slope(double order, double difference, double length) {
    double size = fabs(difference), sign = difference > 0 ? 1 : -1;
    if (order == 0 || length == 0 || size == 0) {
        return 0;
    }
    return isinf(order) ? (size == length ? sign : 0) : sign * pow(size / length, order - 1);
}

extern "C" __global__ void distances(int64_t n, View<T0> result, View<T0> a, View<T0> b, double order) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    int64_t other = number % b.size[1], row = number / b.size[1] % a.size[1], batch = number / b.size[1] / a.size[1];
    double sum = 0;
    for (int64_t p = 0; p < a.size[2]; p++) {
        double size = fabs((double)a.at(batch, row, p) - (double)b.at(batch, other, p));
        if (isinf(order)) {
            sum = size > sum ? size : sum;
        } else {
            sum += order == 0 ? (size == 0 ? 0 : 1) : pow(size, order);
        }
    }
    result[number] = Element<T0>::of(order == 0 || isinf(order) ? sum : pow(sum, 1 / order));
}

// What each pair gives to the gradient of `a`: pairs are (n, rows of b, rows of a, inner).
extern "C" __global__ void distance_slopes(
    int64_t n, View<T0> pairs, View<T0> g, View<T0> a, View<T0> b, View<T0> result, double order) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    int64_t p = number % a.size[2], rest = number / a.size[2], row = rest % a.size[1];
    int64_t other = rest / a.size[1] % b.size[1], batch = rest / a.size[1] / b.size[1];
    double difference = (double)a.at(batch, row, p) - (double)b.at(batch, other, p);
    double up = (double)g.at(batch, row, other);
    pairs[number] = Element<T0>::of(up * slope(order, difference, (double)result.at(batch, row, other)));
}
