// Maps of volumes that treat each dimension by itself. T0: results, T1: operands. Tensors are (n, c, depth, height,
// width).

enum Kind { WINDOW, MEAN_PADDED, MEAN_INSIDE, PARTS, NEAREST, NEAREST_EXACT, LINEAR, CUBIC, MIRRORED, HELD, LINEAR_SMOOTHED,
            CUBIC_SMOOTHED };

struct Axis {
    int64_t kind, kernel, stride, padding, dilation, corners;
    double scale;
};

struct Axes {
    Axis of[3];
};

// Weights of four neighbours of a place `t` behind the second, and how they change with it.
static inline __device__ void cubic_weights(double t, double *weight, double *slope) {
    const double keys = -0.75;
    double distance[4] = {t + 1, t, 1 - t, 2 - t};
    for (int i = 0; i < 4; i++) {
        double x = distance[i];
        bool near = i == 1 || i == 2;
        weight[i] = near ? ((keys + 2) * x - (keys + 3)) * x * x + 1 : ((keys * x - 5 * keys) * x + 8 * keys) * x - 4 * keys;
        double by = near ? (3 * (keys + 2) * x - 2 * (keys + 3)) * x : (3 * keys * x - 10 * keys) * x + 8 * keys;
        slope[i] = i < 2 ? by : -by;
    }
}

static inline __device__ int64_t held(int64_t place, int64_t size) {
    return max((int64_t)0, min(place, size - 1));
}

// Weights of what lies under a triangle or a cubic (native/cuda/UpSample.cuh).
static inline __device__ double filter(bool cubic, double place) {
    const double keys = -0.5;
    double x = fabs(place);
    if (!cubic) {
        return x < 1 ? 1 - x : 0;
    }
    return x < 1 ? ((keys + 2) * x - (keys + 3)) * x * x + 1 : x < 2 ? ((x - 5) * x + 8) * x * keys - 4 * keys : 0;
}

// What an element comes from along one dimension. Windows and parts are a run of elements with one weight; what is
// resampled has up to four of its own.
struct Taps {
    int64_t count, start, step, size;
    bool run, smooth = false, cubic = false;
    double share, center, wide;
    int64_t place_of[4];
    double weight_of[4], slope_of[4];

    // -1: outside.
    __device__ int64_t place(int64_t i) const {
        int64_t at = run ? start + i * step : place_of[i];
        return at >= 0 && at < size ? at : -1;
    }

    __device__ double weight(int64_t i) const {
        if (smooth) {
            return share * filter(cubic, (start + i - center + 0.5) / wide);
        }
        return run ? share : weight_of[i];
    }

    __device__ double slope(int64_t i) const {
        return run ? 0 : slope_of[i];
    }

    __device__ void one(int64_t at) {
        count = 1;
        place_of[0] = at;
        weight_of[0] = 1;
        slope_of[0] = 0;
    }
};

static inline __device__ Taps taps_along(const Axis &a, int64_t at, int64_t from, int64_t to) {
    Taps t;
    t.size = from;
    t.run = a.kind <= PARTS;
    t.step = 1;
    if (a.kind <= MEAN_INSIDE) {
        t.start = at * a.stride - a.padding;
        t.count = a.kernel;
        t.step = a.dilation;
        int64_t framed = min(t.start + a.kernel, from + a.padding) - t.start;
        int64_t inside = min(t.start + a.kernel, from) - max(t.start, (int64_t)0);
        t.share = a.kind == WINDOW ? a.scale : 1.0 / (a.kind == MEAN_PADDED ? framed : inside);
    } else if (a.kind == PARTS) {
        t.start = at * from / to;
        t.count = ((at + 1) * from + to - 1) / to - t.start;
        t.share = 1.0 / t.count;
    } else if (a.kind == NEAREST || a.kind == NEAREST_EXACT) {
        t.one(min((int64_t)floor((at + (a.kind == NEAREST ? 0 : 0.5)) * a.scale), from - 1));
    } else if (a.kind == MIRRORED) {
        int64_t place = at - a.padding;
        place = place < 0 ? -place : place;
        t.one(place >= from ? 2 * (from - 1) - place : place);
    } else if (a.kind == LINEAR_SMOOTHED || a.kind == CUBIC_SMOOTHED) {
        t.run = t.smooth = true;
        t.cubic = a.kind == CUBIC_SMOOTHED;
        t.wide = a.scale > 1 ? a.scale : 1;
        t.center = a.scale * (at + 0.5);
        double support = (t.cubic ? 2 : 1) * t.wide, sum = 0;
        t.start = max((int64_t)(t.center - support + 0.5), (int64_t)0);
        t.count = min((int64_t)(t.center + support + 0.5), from) - t.start;
        for (int64_t i = 0; i < t.count; i++) {
            sum += filter(t.cubic, (t.start + i - t.center + 0.5) / t.wide);
        }
        t.share = 1 / sum;
    } else if (a.kind == HELD) {
        t.one(held(at - a.padding, from));
    } else {
        double source = a.corners ? at * a.scale : (at + 0.5) * a.scale - 0.5;
        if (a.kind == LINEAR) {
            source = source < 0 ? 0 : source;
            int64_t low = min((int64_t)source, from - 1);
            t.count = 2;
            t.place_of[0] = low;
            t.place_of[1] = min(low + 1, from - 1);
            t.weight_of[1] = source - low;
            t.weight_of[0] = 1 - t.weight_of[1];
        } else {
            int64_t low = (int64_t)floor(source);
            t.count = 4;
            cubic_weights(source - low, t.weight_of, t.slope_of);
            for (int i = 0; i < 4; i++) {
                t.place_of[i] = held(low - 1 + i, from);
            }
        }
    }
    return t;
}

struct Spot {
    int64_t at[5];

    template <class T>
    __device__ Spot(const View<T> &v, int64_t number) {
        for (int d = 4; d >= 0; d--) {
            at[d] = number % v.size[d];
            number /= v.size[d];
        }
    }
};

template <class T>
static inline __device__ T &element(const View<T> &v, const Spot &s, int64_t depth, int64_t row, int64_t column) {
    return v.data[s.at[0] * v.stride[0] + s.at[1] * v.stride[1] + depth * v.stride[2] + row * v.stride[3] +
                  column * v.stride[4]];
}

template <class T>
static inline __device__ T &element(const View<T> &v, const Spot &s) {
    return element(v, s, s.at[2], s.at[3], s.at[4]);
}

// An element by its place in its volume.
template <class T>
static inline __device__ T &element(const View<T> &v, const Spot &s, int64_t place) {
    return element(v, s, place / (v.size[3] * v.size[4]), place / v.size[4] % v.size[3], place % v.size[4]);
}

// Three dimensions' taps, and a walk through their product.
struct Cell {
    Taps of[3];

    // Calls with the place and the weight of every element that is inside; `sloped`: the dimension whose weights are
    // taken for their change, -1 for none.
    template <class F>
    __device__ void each(int sloped, F f) const {
        for (int64_t a = 0; a < of[0].count; a++) {
            int64_t depth = of[0].place(a);
            for (int64_t b = 0; depth >= 0 && b < of[1].count; b++) {
                int64_t row = of[1].place(b);
                for (int64_t c = 0; row >= 0 && c < of[2].count; c++) {
                    int64_t column = of[2].place(c);
                    if (column >= 0) {
                        double weight = (sloped == 0 ? of[0].slope(a) : of[0].weight(a)) *
                                        (sloped == 1 ? of[1].slope(b) : of[1].weight(b)) *
                                        (sloped == 2 ? of[2].slope(c) : of[2].weight(c));
                        f(depth, row, column, weight);
                    }
                }
            }
        }
    }
};

template <class X, class Y>
static inline __device__ Cell cell(const Axes &axes, const Spot &s, const View<X> &from, const View<Y> &to) {
    Cell c;
    for (int d = 0; d < 3; d++) {
        c.of[d] = taps_along(axes.of[d], s.at[2 + d], from.size[2 + d], to.size[2 + d]);
    }
    return c;
}

extern "C" __global__ void greatest(int64_t n, View<T0> out, View<int64_t> places, View<T1> x, Axes axes) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    Spot s(out, number);
    double best = -INFINITY;
    int64_t where = -1;
    cell(axes, s, x, out).each(-1, [&](int64_t depth, int64_t row, int64_t column, double) {
        double value = (double)element(x, s, depth, row, column);
        if (where < 0 || value > best || value != value) {
            best = value;
            where = (depth * x.size[3] + row) * x.size[4] + column;
        }
    });
    element(out, s) = Element<T0>::of(best);
    element(places, s) = where;
}

extern "C" __global__ void add_at(int64_t n, View<T0> into, View<T1> values, View<int64_t> places) {
    int64_t number = thread_number();
    if (number < n) {
        Spot s(values, number);
        add_shared(&element(into, s, element(places, s)), (double)element(values, s));
    }
}

extern "C" __global__ void take_at(int64_t n, View<T0> out, View<T1> x, View<int64_t> places) {
    int64_t number = thread_number();
    if (number < n) {
        Spot s(out, number);
        element(out, s) = Element<T0>::of((double)element(x, s, element(places, s)));
    }
}

extern "C" __global__ void resample(int64_t n, View<T0> out, View<T1> x, Axes axes) {
    int64_t number = thread_number();
    if (number < n) {
        Spot s(out, number);
        double sum = 0;
        cell(axes, s, x, out).each(-1, [&](int64_t depth, int64_t row, int64_t column, double weight) {
            sum += weight * (double)element(x, s, depth, row, column);
        });
        element(out, s) = Element<T0>::of(sum);
    }
}

// Zeros are there before.
extern "C" __global__ void resample_backward(int64_t n, View<T0> grad_x, View<T1> g, Axes axes) {
    int64_t number = thread_number();
    if (number < n) {
        Spot s(g, number);
        double value = (double)element(g, s);
        cell(axes, s, grad_x, g).each(-1, [&](int64_t depth, int64_t row, int64_t column, double weight) {
            add_shared(&element(grad_x, s, depth, row, column), weight * value);
        });
    }
}

// How grid_sampler samples (native/GridSamplerUtils.h).
struct Grid {
    int64_t sampling, border, corners, dims;

    // A place brought inside, and what its change is multiplied with.
    __device__ double bounded(double place, int64_t size, double *slope) const {
        *slope = 1;
        if (border == 0) {
            return place;
        }
        if (border == 2) {
            double least = corners ? 0 : -0.5, span = corners ? size - 1 : size, off = place - least;
            *slope = off < 0 ? -1 : 1;
            off = fabs(off);
            double turns = span == 0 ? 0 : floor(off / span), rest = span == 0 ? 0 : off - turns * span;
            bool back = fmod(turns, 2.0) != 0;
            place = span == 0 ? 0 : (back ? span - rest : rest) + least;
            *slope = span == 0 ? 0 : back ? -*slope : *slope;
        }
        if (place <= 0 || place >= size - 1) {
            *slope = 0;
        }
        return place < 0 ? 0 : place > size - 1 ? size - 1 : place;
    }

    __device__ Taps taps(double at, int64_t size) const {
        Taps t;
        t.size = size;
        t.run = false;
        double unit = (corners ? size - 1 : size) / 2.0, place = (at + 1) * unit - (corners ? 0 : 0.5), slope;
        if (sampling == 2) {
            t.count = 4;
            cubic_weights(place - floor(place), t.weight_of, t.slope_of);
            for (int i = 0; i < 4; i++) {
                t.place_of[i] = (int64_t)bounded(floor(place) - 1 + i, size, &slope);
                t.slope_of[i] *= unit;
            }
            return t;
        }
        place = bounded(place, size, &slope);
        if (sampling == 1) {
            t.one((int64_t)rint(place));
            return t;
        }
        int64_t low = (int64_t)floor(place);
        t.count = 2;
        for (int i = 0; i < 2; i++) {
            t.place_of[i] = low + i;
            t.weight_of[i] = i == 0 ? 1 - (place - low) : place - low;
            t.slope_of[i] = (i == 0 ? -1 : 1) * unit * slope;
        }
        return t;
    }

    template <class T>
    __device__ Cell cell(const View<T> &grid, const Spot &s, const int64_t *size) const {
        Cell c;
        const T *at = place(grid, s);
        for (int d = 0; d < 3; d++) {
            int coordinate = 2 - d;
            if (coordinate < dims) {
                c.of[d] = taps((double)at[coordinate * grid.stride[dims + 1]], size[2 + d]);
            } else {
                c.of[d].run = false;
                c.of[d].size = 1;
                c.of[d].one(0);
            }
        }
        return c;
    }

    // The first coordinate of an element's place.
    template <class T>
    __device__ T *place(const View<T> &grid, const Spot &s) const {
        T *at = grid.data + s.at[0] * grid.stride[0];
        for (int d = 0; d < dims; d++) {
            at += s.at[5 - dims + d] * grid.stride[1 + d];
        }
        return at;
    }
};

extern "C" __global__ void sample(int64_t n, View<T0> out, View<T1> x, View<T1> grid, Grid how) {
    int64_t number = thread_number();
    if (number < n) {
        Spot s(out, number);
        double sum = 0;
        how.cell(grid, s, x.size).each(-1, [&](int64_t depth, int64_t row, int64_t column, double weight) {
            sum += weight * (double)element(x, s, depth, row, column);
        });
        element(out, s) = Element<T0>::of(sum);
    }
}

// Both gradients are zeros before; without `grad_x` only the grid's is made.
extern "C" __global__ void sample_backward(
    int64_t n, View<T0> grad_x, View<T0> grad_grid, View<T1> g, View<T1> x, View<T1> grid, Grid how) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    Spot s(g, number);
    double value = (double)element(g, s);
    Cell c = how.cell(grid, s, x.size);
    if (grad_x.data != nullptr) {
        c.each(-1, [&](int64_t depth, int64_t row, int64_t column, double weight) {
            add_shared(&element(grad_x, s, depth, row, column), weight * value);
        });
    }
    T0 *at = how.place(grad_grid, s);
    for (int d = 3 - (int)how.dims; d < 3; d++) {
        double sum = 0;
        c.each(d, [&](int64_t depth, int64_t row, int64_t column, double weight) {
            sum += weight * (double)element(x, s, depth, row, column);
        });
        add_shared(at + (2 - d) * grad_grid.stride[how.dims + 1], sum * value);
    }
}
