// libcublas.so.13: matrix products, column-major. Arguments are checked in both modes; sums are kept in float, or in
// double for double matrices.
#include "null.h"
#include "number.h"

#include <stdlib.h>

#define NOT_INITIALIZED 1
#define INVALID 7
#define EXECUTION_FAILED 13
#define NOT_SUPPORTED 15

enum { COMPUTE_16F = 64, COMPUTE_32F = 68, COMPUTE_64F = 70 };
enum { POINTER_HOST = 0 };

struct handle { int math, pointers; void *workspace; size_t workspace_bytes; };

const char *cublasGetStatusName(int status) {
    switch (status) {
        case 0: return "CUBLAS_STATUS_SUCCESS";
        case 1: return "CUBLAS_STATUS_NOT_INITIALIZED";
        case 3: return "CUBLAS_STATUS_ALLOC_FAILED";
        case 7: return "CUBLAS_STATUS_INVALID_VALUE";
        case 13: return "CUBLAS_STATUS_EXECUTION_FAILED";
        case 15: return "CUBLAS_STATUS_NOT_SUPPORTED";
        default: return "CUBLAS_STATUS_INTERNAL_ERROR";
    }
}

const char *cublasGetStatusString(int status) { return status ? "null cuBLAS refused the call" : "success"; }

int cublasCreate_v2(void **handle) {
    ENTER("cublasCreate_v2");
    null_make_context();
    *handle = null_object(sizeof(struct handle), OBJECT_BLAS);
    return 0;
}

int cublasDestroy_v2(void *handle) {
    ENTER("cublasDestroy_v2");
    return null_drop(handle, OBJECT_BLAS) ? 0 : NOT_INITIALIZED;
}

int cublasGetVersion_v2(void *handle, int *version) {
    (void)handle;
    *version = 130000;
    return 0;
}

static int checked(void *handle) { return null_is_object(handle, OBJECT_BLAS) ? 0 : NOT_INITIALIZED; }

int cublasSetStream_v2(void *handle, void *stream) {
    (void)stream;
    ENTER("cublasSetStream_v2");
    return checked(handle);
}

int cublasSetWorkspace_v2(struct handle *handle, void *workspace, size_t bytes) {
    ENTER("cublasSetWorkspace_v2");
    if (checked(handle)) return NOT_INITIALIZED;
    if (bytes && (!null_is_device(workspace, bytes) || (uintptr_t)workspace % 256)) return INVALID;
    handle->workspace = workspace;
    handle->workspace_bytes = bytes;
    return 0;
}

int cublasSetMathMode(struct handle *handle, int mode) {
    ENTER("cublasSetMathMode");
    if (checked(handle)) return NOT_INITIALIZED;
    handle->math = mode;
    return 0;
}

int cublasGetMathMode(struct handle *handle, int *mode) {
    if (checked(handle)) return NOT_INITIALIZED;
    *mode = handle->math;
    return 0;
}

int cublasSetPointerMode_v2(struct handle *handle, int mode) {
    ENTER("cublasSetPointerMode_v2");
    if (checked(handle)) return NOT_INITIALIZED;
    handle->pointers = mode;
    return 0;
}

struct matrix { const void *data; int64_t leading, stride; int type; };

// Bytes from the first to behind the last element of all matrices of the batch.
static int in_memory(struct matrix m, int64_t rows, int64_t columns, int64_t batch) {
    int64_t last = m.stride * (batch - 1) + m.leading * (columns - 1) + rows;
    return null_is_device(m.data, last * number_bytes(m.type));
}

// A matrix as doubles with the summed dimension innermost.
static double *values(struct matrix m, int64_t outer, int64_t inner, int inner_is_rows) {
    double *all = malloc((outer * inner + 1) * sizeof *all);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++)
            all[o * inner + i] = get_number(m.data, inner_is_rows ? o * m.leading + i : i * m.leading + o, m.type);
    return all;
}

static double sum(const double *a, const double *b, int64_t k, int exact) {
    double wide = 0;
    float narrow = 0;
    if (exact) for (int64_t l = 0; l < k; l++) wide += a[l] * b[l];
    else for (int64_t l = 0; l < k; l++) narrow += (float)(a[l] * b[l]);
    return exact ? wide : narrow;
}

static struct matrix step(struct matrix m) {
    m.data = (const char *)m.data + m.stride * number_bytes(m.type);
    return m;
}

static int product(const char *call, struct handle *h, int ta, int tb, int64_t m, int64_t n, int64_t k,
                   const void *alpha, struct matrix a, struct matrix b, const void *beta, struct matrix c,
                   int64_t batch, int compute) {
    ENTER(call);
    if (checked(h)) return NOT_INITIALIZED;
    if (ta < 0 || ta > 2 || tb < 0 || tb > 2 || m < 0 || n < 0 || k < 0 || batch < 0) return INVALID;
    if (a.leading < (ta ? k : m) || a.leading < 1 || b.leading < (tb ? n : k) || b.leading < 1 || c.leading < m
        || c.leading < 1)
        return INVALID;
    if (!number_bytes(a.type) || a.type != b.type || !number_bytes(c.type) || h->pointers != POINTER_HOST)
        return NOT_SUPPORTED;
    if ((compute == COMPUTE_64F) != (a.type == R_64F) || (c.type != a.type && c.type != R_32F)) return NOT_SUPPORTED;
    if (compute == COMPUTE_16F && a.type != R_16F) return NOT_SUPPORTED;
    null_control()->products += batch;
    if (m == 0 || n == 0 || batch == 0) return 0;
    if (!in_memory(c, m, n, batch)) return EXECUTION_FAILED;
    if (k > 0 && (!in_memory(a, ta ? k : m, ta ? m : k, batch) || !in_memory(b, tb ? n : k, tb ? k : n, batch)))
        return EXECUTION_FAILED;
    if (!null_control()->emulate) return 0;
    int scalar = compute == COMPUTE_64F ? R_64F : compute == COMPUTE_16F ? R_16F : R_32F;
    double by = get_number(alpha, 0, scalar), keep = get_number(beta, 0, scalar);
    for (int64_t t = 0; t < batch; t++, a = step(a), b = step(b), c = step(c)) {
        double *rows = values(a, m, k, ta), *columns = values(b, n, k, !tb);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++) {
                int64_t at = j * c.leading + i;
                double value = by * sum(rows + i * k, columns + j * k, k, compute == COMPUTE_64F);
                if (keep != 0) value += keep * get_number(c.data, at, c.type);
                put_number((void *)c.data, at, c.type, value);
            }
        free(rows), free(columns);
    }
    return 0;
}

int cublasGemmEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int at, int lda,
                 const void *b, int bt, int ldb, const void *beta, void *c, int ct, int ldc, int compute, int algo) {
    (void)algo;
    return product("cublasGemmEx", h, ta, tb, m, n, k, alpha, (struct matrix){a, lda, 0, at},
                   (struct matrix){b, ldb, 0, bt}, beta, (struct matrix){c, ldc, 0, ct}, 1, compute);
}

int cublasGemmStridedBatchedEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int at,
                               int lda, long long sa, const void *b, int bt, int ldb, long long sb, const void *beta,
                               void *c, int ct, int ldc, long long sc, int batch, int compute, int algo) {
    (void)algo;
    return product("cublasGemmStridedBatchedEx", h, ta, tb, m, n, k, alpha, (struct matrix){a, lda, sa, at},
                   (struct matrix){b, ldb, sb, bt}, beta, (struct matrix){c, ldc, sc, ct}, batch, compute);
}

#define GEMM(letter, T, type, compute)                                                                               \
    int cublas##letter##gemm_v2(void *h, int ta, int tb, int m, int n, int k, const T *alpha, const T *a, int lda,   \
                                const T *b, int ldb, const T *beta, T *c, int ldc) {                                 \
        return product("cublas" #letter "gemm_v2", h, ta, tb, m, n, k, alpha, (struct matrix){a, lda, 0, type},      \
                       (struct matrix){b, ldb, 0, type}, beta, (struct matrix){c, ldc, 0, type}, 1, compute);        \
    }                                                                                                                \
    int cublas##letter##gemmStridedBatched(void *h, int ta, int tb, int m, int n, int k, const T *alpha, const T *a, \
                                           int lda, long long sa, const T *b, int ldb, long long sb, const T *beta,  \
                                           T *c, int ldc, long long sc, int batch) {                                 \
        return product("cublas" #letter "gemmStridedBatched", h, ta, tb, m, n, k, alpha,                             \
                       (struct matrix){a, lda, sa, type}, (struct matrix){b, ldb, sb, type}, beta,                   \
                       (struct matrix){c, ldc, sc, type}, batch, compute);                                           \
    }
GEMM(S, float, R_32F, COMPUTE_32F)
GEMM(D, double, R_64F, COMPUTE_64F)

// y = alpha op(A) x + beta y as a product with one column; the strides of x and y must be 1.
#define GEMV(letter, T, type, compute)                                                                              \
    int cublas##letter##gemv_v2(void *h, int ta, int m, int n, const T *alpha, const T *a, int lda, const T *x,     \
                                int incx, const T *beta, T *y, int incy) {                                          \
        if (incx != 1 || incy != 1) return NOT_SUPPORTED;                                                           \
        int rows = ta ? n : m, inner = ta ? m : n;                                                                  \
        return product("cublas" #letter "gemv_v2", h, ta, 0, rows, 1, inner, alpha, (struct matrix){a, lda, 0, type}, \
                       (struct matrix){x, inner > 0 ? inner : 1, 0, type}, beta,                                    \
                       (struct matrix){y, rows > 0 ? rows : 1, 0, type}, 1, compute);                               \
    }
GEMV(S, float, R_32F, COMPUTE_32F)
GEMV(D, double, R_64F, COMPUTE_64F)
