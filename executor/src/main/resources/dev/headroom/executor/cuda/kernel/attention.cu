// Attention: softmax(scale q k^T + bias) v, without the matrix of scores in memory. Tensors are (batch, heads, rows,
// size). T0: all of them but T1: logarithms of sums, T2: bias, T3: the bias's gradient. A block takes one row, its
// threads one row of the other side each, tile by tile.

#define TILE 128

struct Problem {
    int64_t heads, queries, keys, size, value_size, key_heads, value_heads, causal;
    double scale, dropout;
    int64_t seed;
};

// What a weight is multiplied with: 0 when it is dropped. Rows are numbered over batch, heads and queries.
static inline __device__ real kept(const Problem &p, int64_t row, int64_t key) {
    if (p.dropout == 0) {
        return 1;
    }
    return draw(p.seed, row * p.keys + key) < p.dropout ? (real)0 : (real)(1 / (1 - p.dropout));
}

static inline __device__ int64_t seen(const Problem &p, int64_t query) {
    return p.causal ? min(p.keys, query + 1) : p.keys;
}

template <class A, class B>
static inline __device__ real dot(const A *a, int64_t a_step, const B *b, int64_t b_step, int64_t n) {
    real sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += (real)a[i * a_step] * (real)b[i * b_step];
    }
    return sum;
}

// The running maximum and sum are corrected with each tile.
extern "C" __global__ void attention(
    Problem p, View<T0> result, View<T1> log_sum_exp, View<T0> q, View<T0> k, View<T0> v, View<T2> bias) {
    extern __shared__ double memory[];
    __shared__ real weights[TILE];
    real *query = (real *)memory, *sums = query + p.size;
    int64_t row = blockIdx.x, i = row % p.queries, h = row / p.queries % p.heads, b = row / p.queries / p.heads;
    int64_t key_head = h * p.key_heads / p.heads, value_head = h * p.value_heads / p.heads;
    for (int64_t d = threadIdx.x; d < p.size; d += TILE) {
        query[d] = (real)q.at(b, h, i, d);
    }
    for (int64_t d = threadIdx.x; d < p.value_size; d += TILE) {
        sums[d] = 0;
    }
    __syncthreads();
    double most = -INFINITY, total = 0;
    int64_t n = seen(p, i);
    for (int64_t start = 0; start < n; start += TILE) {
        int64_t j = start + threadIdx.x;
        double score = -INFINITY;
        if (j < n) {
            score = dot(query, 1, &k.at(b, key_head, j, 0), k.stride[3], p.size) * (real)p.scale;
            score += bias.data ? (double)bias.at(b, h, i, j) : 0;
        }
        double next = block_max(score);
        next = most > next ? most : next;
        real shrink = most == -INFINITY ? (real)0 : exp((real)(most - next));
        real weight = score == -INFINITY ? (real)0 : exp((real)(score - next));
        total = total * shrink + block_sum(weight);
        weights[threadIdx.x] = j < n ? weight * kept(p, row, j) : 0;
        most = next;
        __syncthreads();
        int64_t count = min((int64_t)TILE, n - start);
        for (int64_t d = threadIdx.x; d < p.value_size; d += TILE) {
            const T0 *values = &v.at(b, value_head, start, d);
            sums[d] = sums[d] * shrink + dot(weights, 1, values, v.stride[2], count);
        }
        __syncthreads();
    }
    for (int64_t d = threadIdx.x; d < p.value_size; d += TILE) {
        // A query that may see nothing gives nothing.
        result.at(b, h, i, d) = Element<T0>::of(total == 0 ? 0 : sums[d] / total);
    }
    if (threadIdx.x == 0 && log_sum_exp.data) {
        log_sum_exp.at(b, h, i) = Element<T1>::of(most + log(total));
    }
}

// The gradient's pieces of one query and key: the weight before dropout, what it was multiplied with, and the gradient
// of the score.
struct Pair {
    real weight, factor, score;
};

static inline __device__ Pair pair(
    const Problem &p, const View<T0> &g, const View<T0> &q, const View<T0> &k, const View<T0> &v,
    const View<T2> &bias, double log_sum, real mean, int64_t b, int64_t h, int64_t i, int64_t j) {
    Pair out = {0, 0, 0};
    if (j >= seen(p, i) || log_sum == -INFINITY) {
        return out;
    }
    int64_t key_head = h * p.key_heads / p.heads, value_head = h * p.value_heads / p.heads;
    double score = dot(&q.at(b, h, i, 0), q.stride[3], &k.at(b, key_head, j, 0), k.stride[3], p.size) * (real)p.scale;
    score += bias.data ? (double)bias.at(b, h, i, j) : 0;
    out.weight = exp((real)(score - log_sum));
    out.factor = kept(p, (b * p.heads + h) * p.queries + i, j);
    real change = dot(&g.at(b, h, i, 0), g.stride[3], &v.at(b, value_head, j, 0), v.stride[3], p.value_size);
    out.score = out.weight * (change * out.factor - mean);
    return out;
}

// The mean of the weights' gradients, which is the product of the result with its gradient.
static inline __device__ real mean_change(
    const Problem &p, const View<T0> &g, const View<T0> &result, int64_t b, int64_t h, int64_t i) {
    return dot(&g.at(b, h, i, 0), g.stride[3], &result.at(b, h, i, 0), result.stride[3], p.value_size);
}

// A block for each query.
extern "C" __global__ void query_gradient(
    Problem p, View<T0> dq, View<T3> dbias, View<T0> g, View<T0> q, View<T0> k, View<T0> v, View<T2> bias,
    View<T0> result, View<T1> log_sum_exp) {
    extern __shared__ double memory[];
    __shared__ real changes[TILE];
    real *sums = (real *)memory;
    int64_t row = blockIdx.x, i = row % p.queries, h = row / p.queries % p.heads, b = row / p.queries / p.heads;
    for (int64_t d = threadIdx.x; d < p.size; d += TILE) {
        sums[d] = 0;
    }
    double log_sum = (double)log_sum_exp.at(b, h, i);
    real mean = mean_change(p, g, result, b, h, i);
    int64_t n = dbias.data ? p.keys : seen(p, i);
    for (int64_t start = 0; start < n; start += TILE) {
        int64_t j = start + threadIdx.x;
        real change = j < n ? pair(p, g, q, k, v, bias, log_sum, mean, b, h, i, j).score : 0;
        changes[threadIdx.x] = change;
        if (j < n && dbias.data) {
            dbias.at(b, h, i, j) = Element<T3>::of(change);
        }
        __syncthreads();
        int64_t count = min((int64_t)TILE, n - start);
        for (int64_t d = threadIdx.x; d < p.size; d += TILE) {
            sums[d] += dot(changes, 1, &k.at(b, h * p.key_heads / p.heads, start, d), k.stride[2], count);
        }
        __syncthreads();
    }
    for (int64_t d = threadIdx.x; d < p.size; d += TILE) {
        dq.at(b, h, i, d) = Element<T0>::of(sums[d] * (real)p.scale);
    }
}

// A block for each key of each of the gradient's heads, which collect from the queries' heads that look at them.
// `of_values`: the gradient of v, else of k.
extern "C" __global__ void key_gradient(
    Problem p, int of_values, View<T0> gradient, View<T0> g, View<T0> q, View<T0> k, View<T0> v, View<T2> bias,
    View<T0> result, View<T1> log_sum_exp) {
    extern __shared__ double memory[];
    __shared__ real changes[TILE];
    real *sums = (real *)memory;
    int64_t row = blockIdx.x, heads = gradient.size[1], width = gradient.size[3];
    int64_t j = row % p.keys, to = row / p.keys % heads, b = row / p.keys / heads;
    for (int64_t d = threadIdx.x; d < width; d += TILE) {
        sums[d] = 0;
    }
    int64_t first = p.causal ? j / TILE * TILE : 0;
    for (int64_t h = to * (p.heads / heads); h < (to + 1) * (p.heads / heads); h++) {
        for (int64_t start = first; start < p.queries; start += TILE) {
            int64_t i = start + threadIdx.x;
            real change = 0;
            if (i < p.queries) {
                real mean = mean_change(p, g, result, b, h, i);
                Pair pieces = pair(p, g, q, k, v, bias, (double)log_sum_exp.at(b, h, i), mean, b, h, i, j);
                change = of_values ? pieces.weight * pieces.factor : pieces.score * (real)p.scale;
            }
            changes[threadIdx.x] = change;
            __syncthreads();
            int64_t count = min((int64_t)TILE, p.queries - start);
            const View<T0> &other = of_values ? g : q;
            for (int64_t d = threadIdx.x; d < width; d += TILE) {
                sums[d] += dot(changes, 1, &other.at(b, h, start, d), other.stride[2], count);
            }
            __syncthreads();
        }
    }
    for (int64_t d = threadIdx.x; d < width; d += TILE) {
        gradient.at(b, to, j, d) = Element<T0>::of(sums[d]);
    }
}
