// libcuda.so.1: the shared state, device memory, virtual memory management.
#define _GNU_SOURCE
#include "null.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define OBJECTS 65536
#define MAGIC 0x6e756c6c

static struct null_control fallback = {
    .total = 80L << 30, .capability = 90, .processors = 132, .driver_version = 13000, .devices = 1};
static struct null_control *control;
static char folder[4096];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// Sorted by nothing: a training run holds few segments.
struct range { char *address; size_t bytes; int64_t live_bytes; int kind; };
enum { FREE, ALLOCATION, RESERVED, MAPPED };
static struct range ranges[OBJECTS];
static int range_count;

struct object { int magic, kind; size_t bytes; };

__attribute__((constructor)) static void open_control(void) {
    Dl_info self;
    dladdr((void *)open_control, &self);
    snprintf(folder, sizeof folder, "%s", self.dli_fname);
    *strrchr(folder, '/') = 0;
    char path[4200];
    snprintf(path, sizeof path, "%s/control-%d", folder, getpid());
    int file = open(path, O_RDWR);
    control = &fallback;
    if (file >= 0) {
        void *shared = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (shared != MAP_FAILED) control = shared;
        close(file);
    }
}

struct null_control *null_control(void) { return control; }
const char *null_folder(void) { return folder; }

int null_fault(const char *call) {
    if (control->call_countdown == 0 || strcmp(call, control->fault_call) != 0) return 0;
    return --control->call_countdown == 0 ? (int)control->fault_status : 0;
}

static struct range *add_range(char *address, size_t bytes, int64_t live_bytes, int kind) {
    for (int i = 0; i < OBJECTS; i++) {
        if (ranges[i].kind == FREE) {
            ranges[i] = (struct range){address, bytes, live_bytes, kind};
            if (i >= range_count) range_count = i + 1;
            return &ranges[i];
        }
    }
    abort();
}

static struct range *find_range(const char *address, int kind) {
    for (int i = 0; i < range_count; i++)
        if (ranges[i].kind == kind && ranges[i].address == address) return &ranges[i];
    return NULL;
}

static const struct range *range_of(const char *address) {
    for (int i = 0; i < range_count; i++) {
        const struct range *r = &ranges[i];
        int memory = r->kind == ALLOCATION || r->kind == MAPPED;
        if (memory && address >= r->address && address < r->address + r->bytes) return r;
    }
    return NULL;
}

int null_is_device(const void *address, size_t bytes) {
    const char *from = address, *to = from + bytes;
    pthread_mutex_lock(&lock);
    while (from < to) {
        const struct range *r = range_of(from);
        // Granules side by side are one memory to their user, allocations are not.
        if (r == NULL || (r->kind == ALLOCATION && to > r->address + r->bytes)) break;
        from = r->address + r->bytes;
    }
    pthread_mutex_unlock(&lock);
    return from >= to;
}

void null_make_context(void) { control->has_context = 1; }

void null_memory(size_t *free_bytes, size_t *total_bytes) {
    int64_t used = control->live_bytes + (control->has_context ? control->context_bytes : 0);
    *free_bytes = used < control->total ? control->total - used : 0;
    *total_bytes = control->total;
}

// Takes device memory from the books, as the driver does in whole granules.
static int take(size_t bytes) {
    control->memory_requests++;
    size_t free_bytes, total;
    null_memory(&free_bytes, &total);
    int refused = control->memory_countdown > 0 && --control->memory_countdown == 0;
    if (refused || bytes > free_bytes) return OUT_OF_MEMORY;
    control->live_bytes += bytes;
    return 0;
}

static int protection(void) { return control->emulate ? PROT_READ | PROT_WRITE : PROT_NONE; }

int null_allocate(void **address, size_t bytes) {
    if (bytes == 0) {
        *address = NULL;
        return 0;
    }
    null_make_context();
    size_t whole = (bytes + GRANULE - 1) / GRANULE * GRANULE;
    pthread_mutex_lock(&lock);
    int status = take(whole);
    if (status == 0) {
        // Aligned as the driver does, and with a granule behind that nothing may touch.
        char *place = mmap(NULL, whole + 2 * GRANULE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (place == MAP_FAILED) {
            control->live_bytes -= whole;
            status = OUT_OF_MEMORY;
        } else {
            char *aligned = (char *)(((uintptr_t)place + GRANULE - 1) / GRANULE * GRANULE);
            if (aligned > place) munmap(place, aligned - place);
            munmap(aligned + whole + GRANULE, place + GRANULE - aligned);
            mprotect(aligned, whole, protection());
            add_range(aligned, whole, whole, ALLOCATION);
            control->live_allocations++;
            *address = aligned;
        }
    }
    pthread_mutex_unlock(&lock);
    return status;
}

int null_free(void *address) {
    if (address == NULL) return 0;
    pthread_mutex_lock(&lock);
    struct range *r = find_range(address, ALLOCATION);
    int status = r ? 0 : INVALID_VALUE;
    if (r) {
        munmap(r->address, r->bytes + GRANULE);
        control->live_bytes -= r->live_bytes;
        control->live_allocations--;
        r->kind = FREE;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

void *null_object(size_t bytes, int kind) {
    struct object *object = calloc(1, sizeof *object + bytes);
    *object = (struct object){MAGIC, kind, bytes};
    __atomic_add_fetch(&control->live_objects, 1, __ATOMIC_SEQ_CST);
    return object + 1;
}

int null_is_object(const void *object, int kind) {
    const struct object *header = (const struct object *)object - 1;
    return object && header->magic == MAGIC && header->kind == kind;
}

int null_drop(void *object, int kind) {
    if (!null_is_object(object, kind)) return 0;
    struct object *header = (struct object *)object - 1;
    header->magic = 0;
    free(header);
    __atomic_sub_fetch(&control->live_objects, 1, __ATOMIC_SEQ_CST);
    return 1;
}

int cuInit(unsigned flags) {
    ENTER("cuInit");
    return flags ? INVALID_VALUE : control->devices == 0 ? 100 : 0;
}

int cuDriverGetVersion(int *version) {
    *version = (int)control->driver_version;
    return 0;
}

int cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
    ENTER("cuDeviceGetUuid");
    for (int i = 0; i < 16; i++) uuid[i] = (unsigned char)(16 * i + device);
    return 0;
}

int cuGetErrorName(int status, const char **name) {
    *name = status == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : status == 500 ? "CUDA_ERROR_NOT_FOUND"
            : status == INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" : status == 201 ? "CUDA_ERROR_INVALID_CONTEXT"
            : "CUDA_ERROR_UNKNOWN";
    return 0;
}

int cuGetErrorString(int status, const char **text) {
    *text = status == OUT_OF_MEMORY ? "out of memory" : status == 500 ? "named symbol not found"
            : status == INVALID_VALUE ? "invalid argument" : status == 201 ? "invalid device context" : "unknown error";
    return 0;
}

int cuMemAddressReserve(uint64_t *address, size_t bytes, size_t alignment, uint64_t hint, uint64_t flags) {
    (void)alignment, (void)hint;
    ENTER("cuMemAddressReserve");
    if (bytes == 0 || bytes % GRANULE || flags) return INVALID_VALUE;
    char *place = mmap(NULL, bytes + GRANULE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return OUT_OF_MEMORY;
    char *aligned = (char *)(((uintptr_t)place + GRANULE - 1) / GRANULE * GRANULE);
    if (aligned > place) munmap(place, aligned - place);
    if (place + GRANULE > aligned) munmap(aligned + bytes, place + GRANULE - aligned);
    pthread_mutex_lock(&lock);
    add_range(aligned, bytes, 0, RESERVED);
    control->live_ranges++;
    pthread_mutex_unlock(&lock);
    *address = (uint64_t)aligned;
    return 0;
}

int cuMemAddressFree(uint64_t address, size_t bytes) {
    ENTER("cuMemAddressFree");
    pthread_mutex_lock(&lock);
    struct range *r = find_range((char *)address, RESERVED);
    int status = r && r->bytes == bytes ? 0 : INVALID_VALUE;
    for (int i = 0; i < range_count && status == 0; i++)
        if (ranges[i].kind == MAPPED && ranges[i].address >= r->address && ranges[i].address < r->address + bytes)
            status = INVALID_VALUE;
    if (status == 0) {
        munmap(r->address, r->bytes);
        r->kind = FREE;
        control->live_ranges--;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

struct granule { size_t bytes; int mapped; };

int cuMemCreate(uint64_t *handle, size_t bytes, const void *properties, uint64_t flags) {
    (void)properties;
    ENTER("cuMemCreate");
    if (control->has_context == 0) return 201;
    if (bytes == 0 || bytes % GRANULE || flags) return INVALID_VALUE;
    pthread_mutex_lock(&lock);
    int status = take(bytes);
    pthread_mutex_unlock(&lock);
    if (status) return status;
    struct granule *g = null_object(sizeof *g, OBJECT_GRANULE);
    *g = (struct granule){bytes, 0};
    *handle = (uint64_t)g;
    return 0;
}

int cuMemRelease(uint64_t handle) {
    ENTER("cuMemRelease");
    struct granule *g = (struct granule *)handle;
    if (!null_is_object(g, OBJECT_GRANULE)) return INVALID_VALUE;
    pthread_mutex_lock(&lock);
    control->live_bytes -= g->bytes;
    pthread_mutex_unlock(&lock);
    null_drop(g, OBJECT_GRANULE);
    return 0;
}

int cuMemMap(uint64_t address, size_t bytes, size_t offset, uint64_t handle, uint64_t flags) {
    ENTER("cuMemMap");
    struct granule *g = (struct granule *)handle;
    char *from = (char *)address;
    if (offset || flags || !null_is_object(g, OBJECT_GRANULE) || g->bytes != bytes) return INVALID_VALUE;
    pthread_mutex_lock(&lock);
    int inside = 0, taken = 0;
    for (int i = 0; i < range_count; i++) {
        struct range *r = &ranges[i];
        inside |= r->kind == RESERVED && from >= r->address && from + bytes <= r->address + r->bytes;
        taken |= r->kind == MAPPED && from < r->address + r->bytes && r->address < from + bytes;
    }
    int status = inside && !taken ? 0 : INVALID_VALUE;
    if (status == 0) add_range(from, bytes, 0, MAPPED);
    pthread_mutex_unlock(&lock);
    return status;
}

int cuMemSetAccess(uint64_t address, size_t bytes, const void *access, size_t count) {
    (void)access;
    ENTER("cuMemSetAccess");
    if (count != 1 || !null_is_device((void *)address, bytes)) return INVALID_VALUE;
    return mprotect((void *)address, bytes, protection()) ? INVALID_VALUE : 0;
}

int cuMemUnmap(uint64_t address, size_t bytes) {
    ENTER("cuMemUnmap");
    pthread_mutex_lock(&lock);
    struct range *r = find_range((char *)address, MAPPED);
    int status = r && r->bytes == bytes ? 0 : INVALID_VALUE;
    if (status == 0) {
        r->kind = FREE;
        madvise((void *)address, bytes, MADV_DONTNEED);
        mprotect((void *)address, bytes, PROT_NONE);
    }
    pthread_mutex_unlock(&lock);
    return status;
}
