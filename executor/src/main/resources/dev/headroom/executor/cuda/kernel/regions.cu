// Regions of images that are pooled (torchvision/csrc/ops/cuda). T0: results, T1: operands. Images are (n, channels,
// height, width), regions rows of an image's number and two corners.

enum RegionKind { ALIGN, GREATEST, ALIGN_OF_CHANNELS, MEAN_OF_CHANNELS };

struct Span {
    double start, part;
};

struct Regions {
    int64_t kind, samples, aligned;
    double scale;

    __device__ bool samples_points() const {
        return kind == ALIGN || kind == ALIGN_OF_CHANNELS;
    }

    __device__ int64_t channel(int64_t channel, int64_t row, int64_t column, int64_t rows, int64_t columns) const {
        return kind >= ALIGN_OF_CHANNELS ? (channel * rows + row) * columns + column : channel;
    }

    __device__ Span span(double from, double to, int64_t parts) const {
        double shift = kind == ALIGN_OF_CHANNELS || aligned ? 0.5 : 0;
        double start = samples_points() ? from * scale - shift : round(from * scale);
        double end = samples_points() ? to * scale - shift : round(to * scale);
        double length = end - start + (kind == GREATEST ? 1 : 0);
        bool free = kind == ALIGN_OF_CHANNELS || kind == ALIGN && aligned;
        return {start, (free || length > 1 ? length : 1) / parts};
    }
};

static inline __device__ int64_t bounded(double place, int64_t size) {
    return place < 0 ? 0 : place > size ? size : (int64_t)place;
}

// Calls with the row, the column and the weight of every element of an image that a part of a region is made of.
template <class R, class F>
static inline __device__ void each(
    const Regions &how, const R *region, int64_t row, int64_t column, int64_t rows, int64_t columns, int64_t height,
    int64_t width, F f) {
    Span down = how.span((double)region[2], (double)region[4], rows);
    Span across = how.span((double)region[1], (double)region[3], columns);
    if (!how.samples_points()) {
        bool mean = how.kind == MEAN_OF_CHANNELS;
        int64_t most = mean ? height - 1 : height, widest = mean ? width - 1 : width;
        int64_t top = bounded(floor(row * down.part) + down.start, most);
        int64_t bottom = bounded(ceil((row + 1) * down.part) + down.start, most);
        int64_t left = bounded(floor(column * across.part) + across.start, widest);
        int64_t right = bounded(ceil((column + 1) * across.part) + across.start, widest);
        double weight = mean ? 1.0 / ((bottom - top) * (right - left)) : 1;
        for (int64_t y = top; y < bottom; y++) {
            for (int64_t x = left; x < right; x++) {
                f(y, x, weight);
            }
        }
        return;
    }
    int64_t high = how.samples > 0 ? how.samples : (int64_t)ceil(down.part);
    int64_t wide = how.samples > 0 ? how.samples : (int64_t)ceil(across.part);
    double share = 1.0 / (high * wide > 1 ? high * wide : 1);
    for (int64_t i = 0; i < high; i++) {
        double y = down.start + row * down.part + (i + 0.5) * down.part / high;
        for (int64_t j = 0; j < wide; j++) {
            double x = across.start + column * across.part + (j + 0.5) * across.part / wide;
            if (y < -1 || y > height || x < -1 || x > width) {
                continue;
            }
            double at = y < 0 ? 0 : y, along = x < 0 ? 0 : x;
            int64_t top = min((int64_t)at, height - 1), left = min((int64_t)along, width - 1);
            int64_t bottom = min(top + 1, height - 1), right = min(left + 1, width - 1);
            double below = top == height - 1 ? 0 : at - top, beyond = left == width - 1 ? 0 : along - left;
            f(top, left, share * (1 - below) * (1 - beyond));
            f(top, right, share * (1 - below) * beyond);
            f(bottom, left, share * below * (1 - beyond));
            f(bottom, right, share * below * beyond);
        }
    }
}

// Where an element of the regions is, and the plane that it reads.
template <class T>
struct Part {
    int64_t row, column, image, channel;
    const T *region;

    template <class Y>
    __device__ Part(const View<Y> &out, const View<T> &regions, const Regions &how, int64_t number) {
        int64_t rows = out.size[2], columns = out.size[3];
        column = number % columns;
        row = number / columns % rows;
        region = regions.entry(number / columns / rows / out.size[1]);
        image = (int64_t)(double)region[0];
        channel = how.channel(number / columns / rows % out.size[1], row, column, rows, columns);
    }
};

extern "C" __global__ void regions(
    int64_t n, View<T0> out, int32_t *places, View<T1> x, View<T1> rois, Regions how) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    Part<T1> p(out, rois, how, number);
    double value = 0;
    int64_t where = -1;
    each(how, p.region, p.row, p.column, out.size[2], out.size[3], x.size[2], x.size[3],
         [&](int64_t y, int64_t z, double weight) {
             double here = (double)x.at(p.image, p.channel, y, z);
             if (how.kind != GREATEST) {
                 value += weight * here;
             } else if (where < 0 || here > value) {
                 value = here;
                 where = y * x.size[3] + z;
             }
         });
    out[number] = Element<T0>::of(value);
    if (places != nullptr) {
        places[number] = (int32_t)(how.kind == GREATEST ? where : p.channel);
    }
}

// Zeros are there before.
extern "C" __global__ void regions_backward(
    int64_t n, View<T0> grad_x, View<T1> g, const int32_t *places, View<T1> rois, Regions how) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    Part<T1> p(g, rois, how, number);
    double value = (double)g[number];
    each(how, p.region, p.row, p.column, g.size[2], g.size[3], grad_x.size[2], grad_x.size[3],
         [&](int64_t y, int64_t z, double weight) {
             if (how.kind != GREATEST || places[number] == y * grad_x.size[3] + z) {
                 add_shared(&grad_x.at(p.image, p.channel, y, z), weight * value);
             }
         });
}
