// Elements picked and placed by indices. An index out of range reaches nothing: no number comes from there and none goes
// there.

// A negative index counts from the end; -1: out of range.
static inline __device__ int64_t bounded(int64_t index, int64_t size) {
    int64_t place = index < 0 ? index + size : index;
    return place < 0 || place >= size ? -1 : place;
}

// Where the elements of an indexed result are in the tensor: each dimension of the result walks over a dimension of the
// tensor (`stride`) or over the indices (`index_stride`); each index stands for a dimension of `extent` entries, `step`
// apart.
struct Picks {
    int64_t dims, count;
    int64_t size[DIMS], stride[DIMS];
    const int64_t *index[DIMS];
    int64_t index_stride[DIMS][DIMS];
    int64_t extent[DIMS], step[DIMS];

    // -1: nowhere.
    __device__ int64_t place(int64_t element) const {
        int64_t at = 0;
        int64_t of_index[DIMS] = {};
        for (int d = (int)dims - 1; d >= 0; d--) {
            int64_t rest = element / size[d], along = element - rest * size[d];
            at += along * stride[d];
            for (int i = 0; i < count; i++) {
                of_index[i] += along * index_stride[i][d];
            }
            element = rest;
        }
        for (int i = 0; i < count; i++) {
            int64_t entry = bounded(index[i][of_index[i]], extent[i]);
            if (entry < 0) {
                return -1;
            }
            at += entry * step[i];
        }
        return at;
    }
};

// T0: both tensors.
extern "C" __global__ void pick(int64_t n, View<T0> result, const T0 *x, Picks picks) {
    int64_t number = thread_number();
    if (number < n) {
        int64_t from = picks.place(number);
        result[number] = from < 0 ? Element<T0>::of(NAN) : x[from];
    }
}

// T0: both tensors. Several elements may go to one place.
extern "C" __global__ void pick_add(int64_t n, T0 *into, View<T0> values, Picks picks, double factor) {
    int64_t number = thread_number();
    if (number < n) {
        int64_t to = picks.place(number);
        if (to >= 0) {
            add_shared(&into[to], factor * (double)values[number]);
        }
    }
}

extern "C" __global__ void pick_put(int64_t n, T0 *into, View<T0> values, Picks picks) {
    int64_t number = thread_number();
    if (number < n) {
        int64_t to = picks.place(number);
        if (to >= 0) {
            into[to] = values[number];
        }
    }
}

// Where an element that an index names along a dimension is; -1: nowhere. The other coordinates are the index's own.
template <class T>
static inline __device__ int64_t along(
    const View<T> &x, int dim, const View<int64_t> &index, int64_t number, int64_t entry) {
    int64_t at = 0;
    for (int d = (int)index.dims - 1; d >= 0; d--) {
        int64_t rest = number / index.size[d], own = number - rest * index.size[d];
        at += (d == dim ? entry : own) * x.stride[d];
        number = rest;
    }
    return at;
}

extern "C" __global__ void gather(int64_t n, int dim, View<T0> result, View<T0> x, View<int64_t> index) {
    int64_t number = thread_number();
    if (number < n) {
        int64_t entry = bounded(index[number], x.dims == 0 ? 1 : x.size[dim]);
        result[number] = entry < 0 ? Element<T0>::of(NAN) : x.data[along(x, dim, index, number, entry)];
    }
}

// `values` may be larger than the index.
extern "C" __global__ void scatter_add(int64_t n, int dim, View<T0> into, View<int64_t> index, View<T0> values) {
    int64_t number = thread_number();
    if (number < n) {
        int64_t entry = bounded(index[number], into.dims == 0 ? 1 : into.size[dim]);
        if (entry >= 0) {
            add_shared(&into.data[along(into, dim, index, number, entry)], (double)values[number]);
        }
    }
}

// Without values: the number everywhere. Of several elements that go to one place, any one stays.
extern "C" __global__ void scatter(
    int64_t n, int dim, View<T0> into, View<int64_t> index, View<T0> values, double number_value) {
    int64_t number = thread_number();
    if (number < n) {
        int64_t entry = bounded(index[number], into.dims == 0 ? 1 : into.size[dim]);
        if (entry >= 0) {
            into.data[along(into, dim, index, number, entry)] =
                values.data == nullptr ? Element<T0>::of(number_value) : values[number];
        }
    }
}

// Sets an element that other threads set as well to what `f` makes of it. Small types are changed within their word.
template <class T, class F>
static inline __device__ void change_shared(T *place, F f) {
    if constexpr (sizeof(T) == 8) {
        unsigned long long *word = (unsigned long long *)place, seen = *word, before;
        do {
            before = seen;
            unsigned long long next = before;
            T *element = (T *)&next;
            *element = Element<T>::of(f((double)*element));
            seen = atomicCAS(word, before, next);
        } while (seen != before);
    } else {
        uint64_t within = (uint64_t)place & 3;
        unsigned int *word = (unsigned int *)((uint64_t)place - within), seen = *word, before;
        do {
            before = seen;
            unsigned int next = before;
            T *element = (T *)((char *)&next + within);
            *element = Element<T>::of(f((double)*element));
            seen = atomicCAS(word, before, next);
        } while (seen != before);
    }
}

enum Combine { PRODUCT, MAX, MIN };

extern "C" __global__ void scatter_combine(
    int64_t n, int how, int dim, View<T0> into, View<int64_t> index, View<T0> values) {
    int64_t number = thread_number();
    if (number >= n) {
        return;
    }
    int64_t entry = bounded(index[number], into.dims == 0 ? 1 : into.size[dim]);
    if (entry >= 0) {
        double value = (double)values[number];
        change_shared(&into.data[along(into, dim, index, number, entry)], [&](double there) {
            return how == PRODUCT ? there * value : (how == MAX ? value > there : value < there) ? value : there;
        });
    }
}

extern "C" __global__ void range(int64_t n, View<T0> result, double start, double step) {
    int64_t number = thread_number();
    if (number < n) {
        result[number] = Element<T0>::of(__dadd_rn(start, __dmul_rn((double)number, step)));
    }
}

extern "C" __global__ void triangle(int64_t n, View<T0> result, View<T0> x, int64_t diagonal, int upper) {
    int64_t number = thread_number();
    if (number < n) {
        int64_t rows = x.size[x.dims - 2], columns = x.size[x.dims - 1];
        int64_t beyond = number % columns - number / columns % rows - diagonal;
        bool kept = upper ? beyond >= 0 : beyond <= 0;
        result[number] = kept ? x[number] : Element<T0>::of(0);
    }
}
