// libcuda.so.1: the state that all libraries share, and the device.
#define _GNU_SOURCE
#include "null.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAGIC 0x6e756c6c

static struct null_control fallback = {
    .total = 80L << 30, .capability = 90, .processors = 132, .driver_version = 13000, .devices = 1};
static struct null_control *control;
static char folder[4096];

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

void null_make_context(void) { control->has_context = 1; }

struct object { int magic, kind; size_t bytes; };

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
