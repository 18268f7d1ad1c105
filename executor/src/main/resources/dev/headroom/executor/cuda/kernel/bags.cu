// Bags of rows of a table. T0: the table, its gradient and results.

struct Bags {
    const int64_t *indices, *offsets;
    const T0 *factors;
    int64_t count, bags, padding, mode;

    __device__ int64_t end(int64_t bag) const {
        return bag + 1 < bags ? offsets[bag + 1] : count;
    }

    __device__ double factor(int64_t i) const {
        return factors == nullptr ? 1 : (double)factors[i];
    }
};

enum Mode { SUM, MEAN, MAX };

// A thread for each element of the result; the first of a bag notes where its indices are.
extern "C" __global__ void bags(
    int64_t n, Bags call, T0 *result, const T0 *weight, int64_t width, int64_t *bag_of, int64_t *sizes,
    int64_t *largest) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    int64_t bag = number / width, column = number % width, counted = 0, where = -1;
    double sum = 0;
    for (int64_t i = call.offsets[bag]; i < call.end(bag); i++) {
        int64_t row = call.indices[i];
        if (column == 0) {
            bag_of[i] = bag;
        }
        if (row == call.padding) {
            continue;
        }
        double value = (double)weight[row * width + column];
        if (call.mode != MAX) {
            sum += call.factor(i) * value;
        } else if (counted == 0 || value > sum) {
            sum = value;
            where = row;
        }
        counted++;
    }
    result[number] = Element<T0>::of(call.mode == MEAN && counted > 0 ? sum / counted : sum);
    if (column == 0) {
        sizes[bag] = counted;
    }
    if (call.mode == MAX) {
        largest[number] = where;
    }
}

// A thread for each element of the rows that were read, or of the bags whose largest ones were.
extern "C" __global__ void bags_backward(
    int64_t n, Bags call, T0 *gradient, View<T0> g, int64_t width, const int64_t *bag_of, const int64_t *sizes,
    const int64_t *largest) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    int64_t i = number / width, column = number % width;
    if (call.mode == MAX) {
        if (largest[number] >= 0) {
            add_shared(&gradient[largest[number] * width + column], (double)g.at(i, column));
        }
        return;
    }
    int64_t row = call.indices[i], bag = bag_of[i];
    if (row != call.padding) {
        double share = call.mode == MEAN ? call.factor(i) / sizes[bag] : call.factor(i);
        add_shared(&gradient[row * width + column], share * (double)g.at(bag, column));
    }
}

extern "C" __global__ void bag_factors_backward(
    int64_t n, Bags call, T0 *gradient, View<T0> g, const T0 *weight, int64_t width, const int64_t *bag_of) {
    int64_t i = thread_number();
    if (i >= n) {
        return;
    }
    double sum = 0;
    for (int64_t c = 0; c < width && call.indices[i] != call.padding; c++) {
        sum += (double)g.at(bag_of[i], c) * (double)weight[call.indices[i] * width + c];
    }
    gradient[i] = Element<T0>::of(sum);
}
