// libcudart.so.13 over the null driver.
#include "null.h"

#include <string.h>

static int last_error;

static int report(int status) {
    if (status) last_error = status;
    return status;
}
#define RUN(call, expression)                          \
    do {                                               \
        int fault_ = null_fault(call);                 \
        return report(fault_ ? fault_ : (expression)); \
    } while (0)

static int usable(void) {
    struct null_control *c = null_control();
    return c->driver_version < 13000 ? 35 : c->devices == 0 ? 100 : 0;
}

int cudaGetLastError(void) {
    int status = last_error;
    last_error = 0;
    return status;
}

int cudaPeekAtLastError(void) { return last_error; }

const char *cudaGetErrorName(int status) {
    switch (status) {
        case 0: return "cudaSuccess";
        case 1: return "cudaErrorInvalidValue";
        case 2: return "cudaErrorMemoryAllocation";
        case 35: return "cudaErrorInsufficientDriver";
        case 100: return "cudaErrorNoDevice";
        case 101: return "cudaErrorInvalidDevice";
        case 700: return "cudaErrorIllegalAddress";
        default: return "cudaErrorUnknown";
    }
}

const char *cudaGetErrorString(int status) {
    switch (status) {
        case 0: return "no error";
        case 1: return "invalid argument";
        case 2: return "out of memory";
        case 35: return "CUDA driver version is insufficient for CUDA runtime version";
        case 100: return "no CUDA-capable device is detected";
        case 101: return "invalid device ordinal";
        case 700: return "an illegal memory access was encountered";
        default: return "unknown error";
    }
}

int cudaGetDeviceCount(int *count) {
    *count = usable() ? 0 : (int)null_control()->devices;
    RUN("cudaGetDeviceCount", usable());
}

int cudaDriverGetVersion(int *version) {
    *version = (int)null_control()->driver_version;
    return 0;
}

int cudaRuntimeGetVersion(int *version) {
    *version = 13000;
    return 0;
}

static int current;

static int make_current(int device) {
    if (usable()) return usable();
    if (device < 0 || device >= null_control()->devices) return 101;
    current = device;
    null_make_context();
    return 0;
}

int cudaSetDevice(int device) { RUN("cudaSetDevice", make_current(device)); }

int cudaGetDevice(int *device) {
    *device = current;
    return 0;
}

// The head of cudaDeviceProp (driver_types.h of CUDA 13) up to what the tests look at.
struct properties {
    char name[256];
    char uuid[16];
    char luid[8];
    unsigned luid_mask;
    size_t total, shared_per_block;
    int registers, warp;
    size_t pitch;
    int block_threads, block[3], grid[3];
    size_t constant;
    int major, minor;
    size_t texture_alignment, texture_pitch;
    int processors;
};

static int fill_properties(struct properties *p, int device) {
    struct null_control *c = null_control();
    if (usable()) return usable();
    if (device < 0 || device >= c->devices) return 101;
    strcpy(p->name, "Null CUDA device");
    p->total = c->total;
    p->shared_per_block = 48 << 10;
    p->warp = 32;
    p->block_threads = 1024;
    p->major = (int)c->capability / 10;
    p->minor = (int)c->capability % 10;
    p->processors = (int)c->processors;
    return 0;
}

int cudaGetDeviceProperties(struct properties *p, int device) {
    RUN("cudaGetDeviceProperties", fill_properties(p, device));
}

static int info(size_t *free_bytes, size_t *total) {
    if (usable()) return usable();
    null_make_context();
    null_memory(free_bytes, total);
    return 0;
}

int cudaMemGetInfo(size_t *free_bytes, size_t *total) { RUN("cudaMemGetInfo", info(free_bytes, total)); }

static int allocate(void **address, size_t bytes) { return usable() ? usable() : null_allocate(address, bytes); }

int cudaMalloc(void **address, size_t bytes) { RUN("cudaMalloc", allocate(address, bytes)); }

static int give_back(void *address) {
    null_make_context();
    return null_free(address);
}

int cudaFree(void *address) { RUN("cudaFree", give_back(address)); }

static int copy(void *to, const void *from, size_t bytes, int kind) {
    int to_device = kind == 1 || kind == 3, from_device = kind == 2 || kind == 3;
    if (kind < 0 || kind > 3) return 1;
    if ((to_device && !null_is_device(to, bytes)) || (from_device && !null_is_device(from, bytes))) return 1;
    if (null_control()->emulate || (!to_device && !from_device)) memmove(to, from, bytes);
    else if (!to_device) memset(to, 0, bytes);
    return 0;
}

int cudaMemcpy(void *to, const void *from, size_t bytes, int kind) { RUN("cudaMemcpy", copy(to, from, bytes, kind)); }

int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream) {
    (void)stream;
    RUN("cudaMemcpyAsync", copy(to, from, bytes, kind));
}

static int fill(void *to, int value, size_t bytes) {
    if (!null_is_device(to, bytes)) return 1;
    if (null_control()->emulate) memset(to, value, bytes);
    return 0;
}

int cudaMemset(void *to, int value, size_t bytes) { RUN("cudaMemset", fill(to, value, bytes)); }

int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream) {
    (void)stream;
    RUN("cudaMemsetAsync", fill(to, value, bytes));
}

int cudaDeviceSynchronize(void) { RUN("cudaDeviceSynchronize", usable()); }

int cudaStreamSynchronize(void *stream) {
    (void)stream;
    RUN("cudaStreamSynchronize", usable());
}
