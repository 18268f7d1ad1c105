// Matrix products that cuBLAS cannot do: integers, and operands without a packed dimension. T0 results, T1 and T2
// operands.
extern "C" __global__ void multiply(
    int64_t n, int64_t columns, int64_t rows, int64_t inner, View<T0> result, View<T1> a, View<T2> b, int64_t a_step,
    int64_t b_step, double alpha, double beta) {
    int64_t i = thread_number();
    if (i >= n) {
        return;
    }
    int64_t column = i % columns;
    int64_t row = i / columns % rows;
    int64_t batch = i / columns / rows;
    // Without an inner dimension there is nothing to point at.
    const T1 *x = inner == 0 ? 0 : &a[(batch * rows + row) * inner];
    const T2 *y = inner == 0 ? 0 : &b[batch * inner * columns + column];
    double sum = 0;
    for (int64_t p = 0; p < inner; p++) {
        sum += (double)x[p * a_step] * (double)y[p * b_step];
    }
    T0 &out = result[i];
    out = Element<T0>::of(alpha * sum + (beta == 0 ? 0 : beta * (double)out));
}

// A product for each group of rows, or of two matrices for each group of what is summed over; `ends` is where groups
// end.
extern "C" __global__ void multiply_groups(
    int64_t n, View<T0> result, View<T1> a, View<T2> b, int64_t groups, const int32_t *ends) {
    int64_t i = thread_number();
    if (i >= n) {
        return;
    }
    int64_t columns = result.size[result.dims - 1], column = i % columns, row = i / columns;
    double sum = 0;
    if (result.dims == 2) {
        int64_t group = 0;
        while (group < groups && ends[group] <= row) {
            group++;
        }
        for (int64_t p = 0; group < groups && p < a.size[1]; p++) {
            sum += (double)a.at(row, p) * (double)b.at(group, p, column);
        }
    } else {
        int64_t group = row / a.size[0];
        row %= a.size[0];
        for (int64_t p = group == 0 ? 0 : ends[group - 1]; p < ends[group]; p++) {
            sum += (double)a.at(row, p) * (double)b.at(p, column);
        }
    }
    result[i] = Element<T0>::of(sum);
}
