// Fourier transforms by their definition. T0: the parts of all tensors.

struct Wave {
    int64_t dims, sign, mirrored;
    int64_t dim[3], length[3];
    double scale;
};

// A thread for each element of the result.
extern "C" __global__ void transform(
    int64_t n, View<T0> re, View<T0> im, View<T0> in_re, View<T0> in_im, Wave wave) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    int64_t k[3] = {0, 0, 0}, step_re[3] = {0, 0, 0}, step_im[3] = {0, 0, 0};
    int64_t base_re = 0, base_im = 0, element = number;
    for (int d = (int)re.dims - 1; d >= 0; d--) {
        int64_t rest = element / re.size[d], own = element - rest * re.size[d];
        bool turned = false;
        for (int w = 0; w < wave.dims; w++) {
            if (wave.dim[w] == d) {
                k[w] = own;
                step_re[w] = in_re.stride[d];
                step_im[w] = in_im.stride[d];
                turned = true;
            }
        }
        if (!turned) {
            base_re += own * in_re.stride[d];
            base_im += own * in_im.stride[d];
        }
        element = rest;
    }
    int last = (int)wave.dims - 1;
    int64_t kept = wave.mirrored ? wave.length[last] / 2 + 1 : wave.length[last];
    double sum_re = 0, sum_im = 0;
    for (int64_t a = 0; a < wave.length[0]; a++) {
        for (int64_t b = 0; b < wave.length[1]; b++) {
            for (int64_t c = 0; c < wave.length[2]; c++) {
                int64_t at[3] = {a, b, c};
                bool mirror = at[last] >= kept;
                double angle = 0;
                int64_t from_re = base_re, from_im = base_im;
                for (int w = 0; w < wave.dims; w++) {
                    angle += (double)(at[w] * k[w] % wave.length[w]) / (double)wave.length[w];
                    int64_t place = mirror ? (wave.length[w] - at[w]) % wave.length[w] : at[w];
                    from_re += place * step_re[w];
                    from_im += place * step_im[w];
                }
                double x = (double)in_re.data[from_re];
                double y = in_im.data == nullptr ? 0 : (double)in_im.data[from_im];
                y = mirror ? -y : y;
                double turn = 6.28318530717958647693 * angle, cosine = cos(turn), sine = (double)wave.sign * sin(turn);
                sum_re += x * cosine - y * sine;
                sum_im += x * sine + y * cosine;
            }
        }
    }
    re[number] = Element<T0>::of(wave.scale * sum_re);
    if (im.data != nullptr) {
        im[number] = Element<T0>::of(wave.scale * sum_im);
    }
}
