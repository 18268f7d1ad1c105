// libcuda.so.1: device memory. Addresses are placed first fit from below, so that they come in the same order in every
// run; allocations and reserved ranges have a span of addresses each. Only emulated memory is backed by pages.
#define _GNU_SOURCE
#include "null.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SPAN (8L << 40)

struct range { char *address; size_t bytes; };

// Ranges in the order of their addresses.
struct table { char *begin; struct range *ranges; int count, room; };

static struct table allocations, reserved, mapped;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The number of ranges that begin at or below an address.
static int position(const struct table *t, const char *address) {
    int low = 0, high = t->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (t->ranges[middle].address <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The range that an address lies in.
static struct range *range_of(struct table *t, const char *address) {
    int i = position(t, address);
    if (i == 0 || address >= t->ranges[i - 1].address + t->ranges[i - 1].bytes) return NULL;
    return &t->ranges[i - 1];
}

static struct range *range_at(struct table *t, const char *address) {
    struct range *r = range_of(t, address);
    return r && r->address == address ? r : NULL;
}

static void insert(struct table *t, int at, char *address, size_t bytes) {
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 256;
        t->ranges = realloc(t->ranges, t->room * sizeof *t->ranges);
    }
    memmove(t->ranges + at + 1, t->ranges + at, (t->count++ - at) * sizeof *t->ranges);
    t->ranges[at] = (struct range){address, bytes};
}

static void drop(struct table *t, struct range *r) {
    memmove(r, r + 1, (t->ranges + --t->count - r) * sizeof *r);
}

// Takes the lowest gap that is large enough; NULL when the span is full.
static char *place(struct table *t, size_t bytes) {
    if (t->begin == NULL) {
        char *span = mmap(NULL, SPAN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (span == MAP_FAILED) return NULL;
        t->begin = (char *)(((uintptr_t)span + GRANULE - 1) / GRANULE * GRANULE);
    }
    char *from = t->begin;
    for (int i = 0; i <= t->count; i++) {
        char *to = i < t->count ? t->ranges[i].address : t->begin + SPAN - GRANULE;
        if ((size_t)(to - from) >= bytes) {
            insert(t, i, from, bytes);
            return from;
        }
        if (i < t->count) from = to + t->ranges[i].bytes;
    }
    return NULL;
}

static void back(char *address, size_t bytes) {
    if (null_control()->emulate) mprotect(address, bytes, PROT_READ | PROT_WRITE);
}

static void unback(char *address, size_t bytes) {
    madvise(address, bytes, MADV_DONTNEED);
    mprotect(address, bytes, PROT_NONE);
}

void null_memory(size_t *free_bytes, size_t *total_bytes) {
    struct null_control *c = null_control();
    int64_t used = c->live_bytes + c->live_objects * c->object_bytes + (c->has_context ? c->context_bytes : 0);
    *free_bytes = used < c->total ? c->total - used : 0;
    *total_bytes = c->total;
}

int null_is_device(const void *address, size_t bytes) {
    const char *from = address, *to = from + bytes;
    pthread_mutex_lock(&lock);
    struct range *r = range_of(&allocations, from);
    if (r && to <= r->address + r->bytes) from = to;
    // Granules side by side are one memory to their user.
    while (from < to && (r = range_of(&mapped, from)) != NULL) from = r->address + r->bytes;
    pthread_mutex_unlock(&lock);
    return from >= to;
}

// Writes memory into the books, as the driver does in whole granules.
static int take(size_t bytes) {
    struct null_control *c = null_control();
    c->memory_requests++;
    size_t free_bytes, total;
    null_memory(&free_bytes, &total);
    int refused = c->memory_countdown > 0 && --c->memory_countdown == 0;
    if (refused || bytes > free_bytes) return OUT_OF_MEMORY;
    c->live_bytes += bytes;
    return 0;
}

int null_allocate(void **address, size_t bytes) {
    *address = NULL;
    if (bytes == 0) return 0;
    if (bytes > SPAN) return OUT_OF_MEMORY;
    null_make_context();
    size_t whole = (bytes + GRANULE - 1) / GRANULE * GRANULE;
    pthread_mutex_lock(&lock);
    int status = take(whole);
    if (status == 0) {
        *address = place(&allocations, whole);
        if (*address) {
            back(*address, whole);
            null_control()->live_allocations++;
        } else {
            null_control()->live_bytes -= whole;
            status = OUT_OF_MEMORY;
        }
    }
    pthread_mutex_unlock(&lock);
    return status;
}

int null_free(void *address) {
    if (address == NULL) return 0;
    pthread_mutex_lock(&lock);
    struct range *r = range_at(&allocations, address);
    int status = r ? 0 : INVALID_VALUE;
    if (r) {
        unback(r->address, r->bytes);
        null_control()->live_bytes -= r->bytes;
        null_control()->live_allocations--;
        drop(&allocations, r);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

int cuMemAddressReserve(uint64_t *address, size_t bytes, size_t alignment, uint64_t hint, uint64_t flags) {
    (void)alignment, (void)hint;
    ENTER("cuMemAddressReserve");
    if (bytes == 0 || bytes % GRANULE || flags) return INVALID_VALUE;
    pthread_mutex_lock(&lock);
    char *found = place(&reserved, bytes);
    if (found) null_control()->live_ranges++;
    pthread_mutex_unlock(&lock);
    *address = (uint64_t)found;
    return found ? 0 : OUT_OF_MEMORY;
}

// Whether memory is mapped anywhere in a range.
static int any_mapped(char *address, size_t bytes) {
    return range_of(&mapped, address) != NULL || position(&mapped, address) != position(&mapped, address + bytes - 1);
}

int cuMemAddressFree(uint64_t address, size_t bytes) {
    ENTER("cuMemAddressFree");
    pthread_mutex_lock(&lock);
    struct range *r = range_at(&reserved, (char *)address);
    int status = r && r->bytes == bytes && !any_mapped(r->address, bytes) ? 0 : INVALID_VALUE;
    if (status == 0) {
        drop(&reserved, r);
        null_control()->live_ranges--;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

struct granule { size_t bytes; };

int cuMemCreate(uint64_t *handle, size_t bytes, const void *properties, uint64_t flags) {
    (void)properties;
    ENTER("cuMemCreate");
    if (null_control()->has_context == 0) return 201;
    if (bytes == 0 || bytes % GRANULE || flags) return INVALID_VALUE;
    pthread_mutex_lock(&lock);
    int status = take(bytes);
    pthread_mutex_unlock(&lock);
    if (status) return status;
    struct granule *g = null_object(sizeof *g, OBJECT_GRANULE);
    g->bytes = bytes;
    *handle = (uint64_t)g;
    return 0;
}

int cuMemRelease(uint64_t handle) {
    ENTER("cuMemRelease");
    struct granule *g = (struct granule *)handle;
    if (!null_is_object(g, OBJECT_GRANULE)) return INVALID_VALUE;
    pthread_mutex_lock(&lock);
    null_control()->live_bytes -= g->bytes;
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
    struct range *r = range_of(&reserved, from);
    int status = r && from + bytes <= r->address + r->bytes && !any_mapped(from, bytes) ? 0 : INVALID_VALUE;
    if (status == 0) insert(&mapped, position(&mapped, from), from, bytes);
    pthread_mutex_unlock(&lock);
    return status;
}

int cuMemSetAccess(uint64_t address, size_t bytes, const void *access, size_t count) {
    (void)access;
    ENTER("cuMemSetAccess");
    if (count != 1 || !null_is_device((void *)address, bytes)) return INVALID_VALUE;
    back((char *)address, bytes);
    return 0;
}

int cuMemUnmap(uint64_t address, size_t bytes) {
    ENTER("cuMemUnmap");
    pthread_mutex_lock(&lock);
    struct range *r = range_at(&mapped, (char *)address);
    int status = r && r->bytes == bytes ? 0 : INVALID_VALUE;
    if (status == 0) {
        unback(r->address, bytes);
        drop(&mapped, r);
    }
    pthread_mutex_unlock(&lock);
    return status;
}
