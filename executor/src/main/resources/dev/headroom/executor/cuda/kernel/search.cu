// Places in lines of numbers that ascend. T0: lines and values, T1: places.
extern "C" __global__ void search(
    int64_t n, int after, int64_t each, int64_t length, View<T1> places, View<T0> lines, View<T0> values) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    double value = (double)values[number];
    int64_t first = number / each * length, low = 0, high = length;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        double there = (double)lines[first + middle];
        if (after ? there <= value : there < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    places[number] = Element<T1>::of(low);
}
