// Pooling and resampling of planes. T0 and T1: data, result first; T2: places. Tensors are (n, c, height, width).

struct Window {
    int64_t kernel[2], stride[2], padding[2], dilation[2];
};

// A number in row-major order as coordinates.
struct Spot {
    int64_t sample, channel, row, column;

    __device__ Spot(int64_t number, int64_t channels, int64_t height, int64_t width) {
        column = number % width;
        number /= width;
        row = number % height;
        number /= height;
        channel = number % channels;
        sample = number / channels;
    }
};

template <class T>
static inline __device__ Spot spot(const View<T> &v, int64_t number) {
    return Spot(number, v.size[1], v.size[2], v.size[3]);
}

template <class T>
static inline __device__ T &at(const View<T> &v, const Spot &s) {
    return v.at(s.sample, s.channel, s.row, s.column);
}

// Greatest elements; a number that is none wins, as in PyTorch (native/cuda/DilatedMaxPool2d.cu).
extern "C" __global__ void max_pool(int64_t n, View<T0> out, View<T2> places, View<T1> x, Window w) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    Spot s = spot(out, number);
    double best = -INFINITY;
    int64_t where = -1;
    for (int64_t a = 0; a < w.kernel[0]; a++) {
        int64_t row = s.row * w.stride[0] - w.padding[0] + a * w.dilation[0];
        for (int64_t b = 0; row >= 0 && row < x.size[2] && b < w.kernel[1]; b++) {
            int64_t column = s.column * w.stride[1] - w.padding[1] + b * w.dilation[1];
            if (column >= 0 && column < x.size[3]) {
                double value = (double)x.at(s.sample, s.channel, row, column);
                if (where < 0 || value > best || value != value) {
                    best = value;
                    where = row * x.size[3] + column;
                }
            }
        }
    }
    at(out, s) = Element<T0>::of(best);
    at(places, s) = (T2)where;
}

// Adds each gradient where its element came from; zeros are there before.
extern "C" __global__ void max_pool_backward(int64_t n, View<T0> grad_x, View<T1> g, View<T2> places) {
    int64_t number = thread_number();
    if (number < n) {
        Spot s = spot(g, number);
        int64_t place = (int64_t)at(places, s), width = grad_x.size[3];
        add_shared(&grad_x.at(s.sample, s.channel, place / width, place % width), (double)at(g, s));
    }
}

// What part of the input an output element is the mean of, and by what it divides.
struct Part {
    int64_t from[2], to[2];
    double share;
};

static inline __device__ Part window_part(
    const Window &w, int64_t row, int64_t column, int64_t height, int64_t width, int counts_padding, int64_t divisor) {
    int64_t spot[2] = {row, column}, size[2] = {height, width};
    int64_t framed = 1, inside = 1;
    Part p;
    for (int d = 0; d < 2; d++) {
        int64_t from = spot[d] * w.stride[d] - w.padding[d];
        int64_t to = min(from + w.kernel[d], size[d] + w.padding[d]);
        framed *= to - from;
        p.from[d] = max(from, (int64_t)0);
        p.to[d] = min(to, size[d]);
        inside *= p.to[d] - p.from[d];
    }
    p.share = 1.0 / (divisor != 0 ? divisor : counts_padding ? framed : inside);
    return p;
}

// Parts that cover the input (native/AdaptivePooling.h, start_index and end_index).
static inline __device__ Part adaptive_part(
    int64_t row, int64_t column, int64_t height, int64_t width, int64_t rows, int64_t columns) {
    Part p;
    p.from[0] = row * height / rows;
    p.to[0] = ((row + 1) * height + rows - 1) / rows;
    p.from[1] = column * width / columns;
    p.to[1] = ((column + 1) * width + columns - 1) / columns;
    p.share = 1.0 / ((p.to[0] - p.from[0]) * (p.to[1] - p.from[1]));
    return p;
}

static inline __device__ double mean(const View<T1> &x, const Spot &s, const Part &p) {
    double sum = 0;
    for (int64_t row = p.from[0]; row < p.to[0]; row++) {
        for (int64_t column = p.from[1]; column < p.to[1]; column++) {
            sum += (double)x.at(s.sample, s.channel, row, column);
        }
    }
    return sum * p.share;
}

extern "C" __global__ void average_pool(
    int64_t n, View<T0> out, View<T1> x, Window w, int counts_padding, int64_t divisor) {
    int64_t number = thread_number();
    if (number < n) {
        Spot s = spot(out, number);
        Part p = window_part(w, s.row, s.column, x.size[2], x.size[3], counts_padding, divisor);
        at(out, s) = Element<T0>::of(mean(x, s, p));
    }
}

extern "C" __global__ void adaptive_average_pool(int64_t n, View<T0> out, View<T1> x) {
    int64_t number = thread_number();
    if (number < n) {
        Spot s = spot(out, number);
        Part p = adaptive_part(s.row, s.column, x.size[2], x.size[3], out.size[2], out.size[3]);
        at(out, s) = Element<T0>::of(mean(x, s, p));
    }
}

// Each input element collects from the output elements whose part it is in.
extern "C" __global__ void average_pool_backward(
    int64_t n, View<T0> grad_x, View<T1> g, Window w, int counts_padding, int64_t divisor) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    Spot s = spot(grad_x, number);
    int64_t spot[2] = {s.row, s.column}, from[2], to[2];
    for (int d = 0; d < 2; d++) {
        int64_t padded = spot[d] + w.padding[d];
        from[d] = padded < w.kernel[d] ? 0 : (padded - w.kernel[d]) / w.stride[d] + 1;
        to[d] = min(padded / w.stride[d] + 1, g.size[2 + d]);
    }
    double sum = 0;
    for (int64_t row = from[0]; row < to[0]; row++) {
        for (int64_t column = from[1]; column < to[1]; column++) {
            Part p = window_part(w, row, column, grad_x.size[2], grad_x.size[3], counts_padding, divisor);
            sum += (double)g.at(s.sample, s.channel, row, column) * p.share;
        }
    }
    at(grad_x, s) = Element<T0>::of(sum);
}

extern "C" __global__ void adaptive_average_pool_backward(int64_t n, View<T0> grad_x, View<T1> g) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    Spot s = spot(grad_x, number);
    int64_t height = grad_x.size[2], width = grad_x.size[3], rows = g.size[2], columns = g.size[3];
    double sum = 0;
    for (int64_t row = s.row * rows / height; row < ((s.row + 1) * rows + height - 1) / height; row++) {
        for (int64_t column = s.column * columns / width; column < ((s.column + 1) * columns + width - 1) / width;
             column++) {
            Part p = adaptive_part(row, column, height, width, rows, columns);
            sum += (double)g.at(s.sample, s.channel, row, column) * p.share;
        }
    }
    at(grad_x, s) = Element<T0>::of(sum);
}

// How one dimension becomes another (native/UpSample.h).
struct Scaling {
    double step[2];
    int64_t align_corners;
};

static inline __device__ int64_t nearest_at(const Scaling &s, int d, int64_t at, int64_t size) {
    return min((int64_t)floor(at * s.step[d]), size - 1);
}

extern "C" __global__ void nearest(int64_t n, View<T0> out, View<T1> x, Scaling scaling) {
    int64_t number = thread_number();
    if (number < n) {
        Spot s = spot(out, number);
        int64_t row = nearest_at(scaling, 0, s.row, x.size[2]), column = nearest_at(scaling, 1, s.column, x.size[3]);
        at(out, s) = Element<T0>::of((double)x.at(s.sample, s.channel, row, column));
    }
}

extern "C" __global__ void nearest_backward(int64_t n, View<T0> grad_x, View<T1> g, Scaling scaling) {
    int64_t number = thread_number();
    if (number < n) {
        Spot s = spot(g, number);
        int64_t row = nearest_at(scaling, 0, s.row, grad_x.size[2]);
        int64_t column = nearest_at(scaling, 1, s.column, grad_x.size[3]);
        add_shared(&grad_x.at(s.sample, s.channel, row, column), (double)at(g, s));
    }
}

// Two neighbours in a dimension and the second one's weight.
struct Between {
    int64_t low, high;
    double weight;

    __device__ Between(const Scaling &s, int d, int64_t at, int64_t size) {
        double source = s.align_corners ? at * s.step[d] : (at + 0.5) * s.step[d] - 0.5;
        source = source < 0 ? 0 : source;
        low = min((int64_t)source, size - 1);
        high = min(low + 1, size - 1);
        weight = source - low;
    }
};

extern "C" __global__ void bilinear(int64_t n, View<T0> out, View<T1> x, Scaling scaling) {
    int64_t number = thread_number();
    if (number < n) {
        Spot s = spot(out, number);
        Between row(scaling, 0, s.row, x.size[2]), column(scaling, 1, s.column, x.size[3]);
        double above = (double)x.at(s.sample, s.channel, row.low, column.low) * (1 - column.weight) +
                       (double)x.at(s.sample, s.channel, row.low, column.high) * column.weight;
        double below = (double)x.at(s.sample, s.channel, row.high, column.low) * (1 - column.weight) +
                       (double)x.at(s.sample, s.channel, row.high, column.high) * column.weight;
        at(out, s) = Element<T0>::of(above * (1 - row.weight) + below * row.weight);
    }
}

extern "C" __global__ void bilinear_backward(int64_t n, View<T0> grad_x, View<T1> g, Scaling scaling) {
    int64_t number = thread_number();
    if (number < n) {
        Spot s = spot(g, number);
        Between row(scaling, 0, s.row, grad_x.size[2]), column(scaling, 1, s.column, grad_x.size[3]);
        double value = (double)at(g, s);
        add_shared(&grad_x.at(s.sample, s.channel, row.low, column.low), value * (1 - row.weight) * (1 - column.weight));
        add_shared(&grad_x.at(s.sample, s.channel, row.low, column.high), value * (1 - row.weight) * column.weight);
        add_shared(&grad_x.at(s.sample, s.channel, row.high, column.low), value * row.weight * (1 - column.weight));
        add_shared(&grad_x.at(s.sample, s.channel, row.high, column.high), value * row.weight * column.weight);
    }
}
