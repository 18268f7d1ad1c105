// Losses that look up a class. T0: scores and their gradient; T1: weights and results. Scores are (n, classes, rest),
// targets (n, rest). A class out of range counts as ignored.

struct Classes {
    int64_t ignored, each, mean;
};

static inline __device__ int64_t known(int64_t c, int64_t ignored, int64_t classes) {
    return c == ignored || c < 0 || c >= classes ? -1 : c;
}

// One block. `result`: a scalar, or one for each target.
extern "C" __global__ void __launch_bounds__(1024) class_loss(
    int64_t n, Classes spec, View<T1> result, T1 *total_weight, View<T0> scores, View<int64_t> target,
    const T1 *weight) {
    int64_t rest = scores.size[2];
    double sum = 0, total = 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        int64_t c = known(target[i], spec.ignored, scores.size[1]);
        double factor = c < 0 ? 0 : weight ? (double)weight[c] : 1;
        double loss = c < 0 ? 0 : -factor * (double)scores.at(i / rest, c, i % rest);
        if (spec.each) {
            result[i] = Element<T1>::of(loss);
        }
        sum += loss;
        total += factor;
    }
    sum = block_sum(sum);
    total = block_sum(total);
    if (threadIdx.x == 0) {
        total_weight[0] = Element<T1>::of(total);
        if (!spec.each) {
            result[0] = Element<T1>::of(spec.mean ? sum / total : sum);
        }
    }
}

// Where no target points there are zeros already.
extern "C" __global__ void class_loss_gradient(
    int64_t n, Classes spec, View<T0> gradient, View<T1> g, View<int64_t> target, const T1 *weight,
    const T1 *total_weight) {
    int64_t i = thread_number();
    if (i >= n) {
        return;
    }
    int64_t rest = gradient.size[2], c = known(target[i], spec.ignored, gradient.size[1]);
    if (c >= 0) {
        double factor = (weight ? (double)weight[c] : 1) * (double)g[spec.each ? i : 0];
        factor = spec.mean && !spec.each ? factor / (double)total_weight[0] : factor;
        gradient.at(i / rest, c, i % rest) = Element<T0>::of(-factor);
    }
}
