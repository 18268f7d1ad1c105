// CUDA libraries without a GPU, for tests. The driver, libcuda.so.1, keeps the state that all of them share.
#ifndef NULL_H
#define NULL_H

#include <stddef.h>
#include <stdint.h>

// Shared with the test through a file, control-<process id> in the libraries' folder. The Java class NullCuda has the
// same order; every field but the last has 8 bytes.
struct null_control {
    // Settings.
    int64_t emulate;          // 1: memory is real and work is computed; 0: addresses only, work does nothing
    int64_t total;            // bytes of the device
    int64_t context_bytes;    // what a context takes
    int64_t capability;       // such as 90
    int64_t processors;
    int64_t driver_version;   // such as 13000
    int64_t devices;
    int64_t workspace;        // bytes that each convolution asks for, unless a file of plans says otherwise
    // Faults. A countdown of k lets k - 1 requests pass; 0 is off.
    int64_t memory_countdown; // then one request for memory is refused
    int64_t call_countdown;   // then one call of fault_call fails
    int64_t fault_status;
    // Counters.
    int64_t live_allocations;
    int64_t live_bytes;
    int64_t live_ranges;
    int64_t live_objects;     // handles, descriptors, modules, programs
    int64_t memory_requests;
    int64_t launches;
    int64_t products;         // matrix products
    int64_t convolutions;
    int64_t has_context;
    int64_t recurrences;      // passes of recurrent layers
    int64_t object_bytes;     // device memory that each handle, descriptor, module or program takes
    char fault_call[64];
};

#define GRANULE (2L << 20)
#define OUT_OF_MEMORY 2
#define INVALID_VALUE 1

struct null_control *null_control(void);
const char *null_folder(void);

// The status that this call is to fail with; 0 when it is to go on.
int null_fault(const char *call);
#define ENTER(call)                   \
    do {                              \
        int fault_ = null_fault(call); \
        if (fault_) return fault_;    \
    } while (0)

int null_allocate(void **address, size_t bytes);
int null_free(void *address);
void null_make_context(void);
void null_memory(size_t *free_bytes, size_t *total_bytes);
// Whether these bytes lie in one live allocation or mapped range.
int null_is_device(const void *address, size_t bytes);
// Opaque objects of all libraries, counted; a wrong or dead one is not recognised.
void *null_object(size_t bytes, int kind);
int null_is_object(const void *object, int kind);
int null_drop(void *object, int kind);
// Builds the shared object of an NVRTC image; 0 with a message in log when it has errors.
int null_compile(const char *image, char *path, size_t path_bytes, char *log, size_t log_bytes);

enum { OBJECT_MODULE = 1, OBJECT_PROGRAM, OBJECT_BLAS, OBJECT_DNN, OBJECT_TENSOR, OBJECT_BACKEND,
       OBJECT_ACTIVATION, OBJECT_GRANULE, OBJECT_RNN, OBJECT_RNN_DATA, OBJECT_DROPOUT };

#endif
