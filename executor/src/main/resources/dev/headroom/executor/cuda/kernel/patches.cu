// Windows of images as columns, and back. T0: both. Columns are (n, channels x window, places), images (n, channels,
// height, width), both row-major.

struct Windows {
    int64_t kernel[2], stride[2], padding[2], dilation[2];
    int64_t height, width, per_row, places;
};

// A thread for each element of the columns.
extern "C" __global__ void columns(int64_t n, T0 *columns, const T0 *image, Windows w) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    int64_t place = number % w.places, rest = number / w.places;
    int64_t within = rest % (w.kernel[0] * w.kernel[1]), plane = rest / (w.kernel[0] * w.kernel[1]);
    int64_t y = place / w.per_row * w.stride[0] - w.padding[0] + within / w.kernel[1] * w.dilation[0];
    int64_t x = place % w.per_row * w.stride[1] - w.padding[1] + within % w.kernel[1] * w.dilation[1];
    bool inside = y >= 0 && y < w.height && x >= 0 && x < w.width;
    columns[number] = inside ? image[(plane * w.height + y) * w.width + x] : Element<T0>::of(0);
}

// A thread for each element of the image sums up what columns hold of it.
extern "C" __global__ void image(int64_t n, T0 *image, const T0 *columns, Windows w) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    int64_t x = number % w.width, y = number / w.width % w.height, plane = number / w.width / w.height;
    double sum = 0;
    for (int64_t i = 0; i < w.kernel[0]; i++) {
        int64_t down = y + w.padding[0] - i * w.dilation[0], row = down / w.stride[0];
        for (int64_t j = 0; j < w.kernel[1]; j++) {
            int64_t along = x + w.padding[1] - j * w.dilation[1], column = along / w.stride[1];
            bool there = down >= 0 && along >= 0 && row * w.stride[0] == down && column * w.stride[1] == along &&
                         row < w.places / w.per_row && column < w.per_row;
            if (there) {
                int64_t within = i * w.kernel[1] + j;
                sum += (double)columns[((plane * w.kernel[0] * w.kernel[1] + within) * w.places) + row * w.per_row +
                                       column];
            }
        }
    }
    image[number] = Element<T0>::of(sum);
}
