// libnvidia-ml.so.1 over the null driver: one device, whose only process is this one.
#include "null.h"

#include <string.h>
#include <unistd.h>

struct memory { unsigned long long total, free, used; };
struct process { unsigned pid; unsigned long long used; unsigned instance, compute; };

int nvmlInit_v2(void) {
    ENTER("nvmlInit_v2");
    return 0;
}

int nvmlShutdown(void) {
    ENTER("nvmlShutdown");
    return 0;
}

const char *nvmlErrorString(int status) { return status == 6 ? "Not Found" : "Unknown Error"; }

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) {
    ENTER("nvmlDeviceGetHandleByUUID");
    *device = null_control();
    // The bytes that cuDeviceGetUuid gives for device 0.
    return strcmp(uuid, "GPU-00102030-4050-6070-8090-a0b0c0d0e0f0") == 0 ? 0 : 6;
}

int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory) {
    (void)device;
    ENTER("nvmlDeviceGetMemoryInfo");
    size_t free_bytes, total;
    null_memory(&free_bytes, &total);
    *memory = (struct memory){total, free_bytes, total - free_bytes};
    return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *processes) {
    (void)device;
    ENTER("nvmlDeviceGetComputeRunningProcesses_v3");
    struct memory memory;
    nvmlDeviceGetMemoryInfo(device, &memory);
    *count = null_control()->has_context ? 1 : 0;
    if (*count) processes[0] = (struct process){(unsigned)getpid(), memory.used, 0, 0};
    return 0;
}
