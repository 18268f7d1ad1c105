// ctc_loss. T0: logarithms of probabilities (steps, samples, classes), tables (samples, steps, states) and losses.
// States of a target are its labels, with blanks before, between and after them.

struct Targets {
    const int64_t *labels, *begins, *target_lengths, *input_lengths;
    int64_t stride, blank;

    __device__ int64_t states(int64_t sample) const {
        return 2 * target_lengths[sample] + 1;
    }

    __device__ int64_t label(int64_t sample, int64_t state) const {
        return state % 2 == 0 ? blank : labels[begins[sample] + state / 2 * stride];
    }

    // Whether a path may go from a state to the one after the next: not from a blank, nor between equal labels.
    __device__ bool skips(int64_t sample, int64_t state) const {
        return state % 2 == 1 && label(sample, state) != label(sample, state + 2);
    }
};

static inline __device__ double log_sum(double a, double b, double c) {
    double most = fmax(fmax(a, b), c);
    return isinf(most) && most < 0 ? most : most + log(exp(a - most) + exp(b - most) + exp(c - most));
}

// A block a sample.
extern "C" __global__ void align(Targets of, View<T0> logs, View<T0> alpha, T0 *losses) {
    int64_t b = blockIdx.x, steps = of.input_lengths[b], states = of.states(b);
    double none = log(0.0);
    for (int64_t t = 0; t < alpha.size[1]; t++) {
        for (int64_t s = threadIdx.x; s < alpha.size[2]; s += blockDim.x) {
            double value = none;
            if (t < steps && s < states) {
                double before = t == 0 ? (s < 2 ? 0 : none)
                    : log_sum((double)alpha.at(b, t - 1, s), s > 0 ? (double)alpha.at(b, t - 1, s - 1) : none,
                        s > 1 && of.skips(b, s - 2) ? (double)alpha.at(b, t - 1, s - 2) : none);
                value = before + (double)logs.at(t, b, of.label(b, s));
            }
            alpha.at(b, t, s) = Element<T0>::of(value);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        double last = steps == 0 ? (states == 1 ? 0 : none)
            : log_sum((double)alpha.at(b, steps - 1, states - 1),
                states > 1 ? (double)alpha.at(b, steps - 1, states - 2) : none, none);
        losses[b] = Element<T0>::of(-last);
    }
}

// A block a sample.
extern "C" __global__ void align_back(Targets of, View<T0> logs, View<T0> beta) {
    int64_t b = blockIdx.x, steps = of.input_lengths[b], states = of.states(b);
    double none = log(0.0);
    for (int64_t t = beta.size[1] - 1; t >= 0; t--) {
        for (int64_t s = threadIdx.x; s < beta.size[2]; s += blockDim.x) {
            double value = none;
            if (t < steps && s < states) {
                double after = t == steps - 1 ? (s > states - 3 ? 0 : none)
                    : log_sum((double)beta.at(b, t + 1, s), s + 1 < states ? (double)beta.at(b, t + 1, s + 1) : none,
                        s + 2 < states && of.skips(b, s) ? (double)beta.at(b, t + 1, s + 2) : none);
                value = after + (double)logs.at(t, b, of.label(b, s));
            }
            beta.at(b, t, s) = Element<T0>::of(value);
        }
        __syncthreads();
    }
}

// A thread a step of a sample.
extern "C" __global__ void align_gradient(
    int64_t n, Targets of, View<T0> logs, View<T0> alpha, View<T0> beta, const T0 *losses, View<T0> g,
    View<T0> gradient, int blanks, int spared) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    int64_t t = number / logs.size[1], b = number % logs.size[1];
    double loss = (double)losses[b];
    if (t >= of.input_lengths[b]) {
        for (int64_t c = 0; c < gradient.size[2]; c++) {
            gradient.at(t, b, c) = Element<T0>::of(0.0);
        }
    } else if (!spared || !isinf(loss)) {
        for (int64_t s = blanks ? 0 : 1; s < of.states(b); s += blanks ? 1 : 2) {
            int64_t c = of.label(b, s);
            double share = exp((double)alpha.at(b, t, s) + (double)beta.at(b, t, s) + loss - (double)logs.at(t, b, c));
            gradient.at(t, b, c) = Element<T0>::of((double)gradient.at(t, b, c) - share * (double)g[b]);
        }
    }
}
