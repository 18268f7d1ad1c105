// The device as a kernel sees it, for the host's C++ compiler. Threads of a block take turns on the calling thread: one
// runs until a barrier or its end. A fiber goes on with the next thread when one ends, so that kernels without barriers
// need a single fiber. Blocks run one after the other.
#pragma once
#include <algorithm>
#include <cassert>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <type_traits>
#include <ucontext.h>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __constant__ static const
#define __shared__ static
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define NULL_VECTOR(T, name)                                                                       \
    struct name##2 { T x, y; };                                                                    \
    struct name##3 { T x, y, z; };                                                                 \
    struct __attribute__((aligned(sizeof(T) < 8 ? 4 * sizeof(T) : 16))) name##4 { T x, y, z, w; }; \
    static inline name##2 make_##name##2(T x, T y) { return {x, y}; }                              \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
NULL_VECTOR(float, float)
NULL_VECTOR(double, double)
NULL_VECTOR(int, int)
NULL_VECTOR(unsigned, uint)
NULL_VECTOR(unsigned short, ushort)

struct dim3 { unsigned x, y, z; };
static dim3 threadIdx, blockIdx, blockDim, gridDim;
static const int warpSize = 32;
static unsigned char *null_dynamic_shared;

using std::isfinite;
using std::isinf;
using std::isnan;
using std::max;
using std::min;

namespace null_device {
enum Wait { RUNNING, BLOCK, WARP, DONE };
struct Fiber {
    ucontext_t start;
    jmp_buf place;
    dim3 index;
    unsigned thread;
    unsigned mask;
    Wait wait;
    bool started;
};
constexpr size_t STACK = 256 << 10;
constexpr unsigned MOST = 1024;
static Fiber fibers[MOST];
static char *stacks;
static Fiber *current;
static Fiber *fiber_of[MOST];  // by thread; null before it starts and after it ends
static unsigned used, next, ended, blocked, threads;
static jmp_buf scheduler;
static void (*entry)(void **);
static void **parameters;
static uint64_t slots[2][MOST];
static unsigned turn[MOST];

static void set_thread(unsigned thread) {
    current->thread = thread;
    fiber_of[thread] = current;
    current->index = {thread % blockDim.x, thread / blockDim.x % blockDim.y, thread / blockDim.x / blockDim.y};
    threadIdx = current->index;
}

static void pause(Wait wait, unsigned mask) {
    blocked += wait == BLOCK;
    current->wait = wait;
    current->mask = mask;
    if (_setjmp(current->place) == 0) _longjmp(scheduler, 1);
}

static void body() {
    for (;;) {
        while (next < threads) {
            set_thread(next++);
            turn[current->thread] = 0;
            entry(parameters);
            fiber_of[current->thread] = nullptr;
            ended++;
        }
        pause(DONE, 0);
    }
}

// Runs a fiber until it waits or is done. One that is done can be run again, for another block: to start a fiber takes
// system calls, to go on with one does not.
static void resume(Fiber *fiber) {
    current = fiber;
    fiber->wait = RUNNING;
    if (_setjmp(scheduler) != 0) return;
    if (fiber->started) {
        threadIdx = fiber->index;
        _longjmp(fiber->place, 1);
    }
    fiber->started = true;
    getcontext(&fiber->start);
    fiber->start.uc_stack.ss_sp = stacks + STACK * (fiber - fibers);
    fiber->start.uc_stack.ss_size = STACK;
    fiber->start.uc_link = nullptr;
    makecontext(&fiber->start, body, 0);
    setcontext(&fiber->start);
}

__attribute__((destructor)) static void free_stacks() {
    if (stacks != nullptr) munmap(stacks, STACK * MOST);
}

// Lets the lanes of a warp go on that wait for each other and are all there; whether there were any.
static bool release_warp(unsigned warp) {
    Fiber **lanes = fiber_of + 32 * warp;
    unsigned live = 0, waiting = 0;
    for (unsigned i = 0; i < 32 && 32 * warp + i < threads; i++) {
        live |= lanes[i] ? 1u << i : 0;
        waiting |= lanes[i] && lanes[i]->wait == WARP ? 1u << i : 0;
    }
    while (waiting != 0) {
        unsigned mask = lanes[__builtin_ctz(waiting)]->mask, same = 0;
        for (unsigned i = 0; i < 32; i++)
            if (waiting >> i & 1 && lanes[i]->mask == mask) same |= 1u << i;
        waiting &= ~same;
        if ((mask & live) != same) continue;
        for (unsigned i = 0; i < 32; i++)
            if (same >> i & 1) resume(lanes[i]);
        return true;
    }
    return false;
}

static void run_block() {
    used = next = ended = blocked = 0;
    while (next < threads) resume(&fibers[used++]);
    while (ended < threads) {
        bool moved = false;
        for (unsigned warp = 0; 32 * warp < threads; warp++)
            while (release_warp(warp)) moved = true;
        if (blocked > 0 && blocked == threads - ended) {
            blocked = 0;
            moved = true;
            for (unsigned i = 0; i < used; i++)
                if (fibers[i].wait == BLOCK) resume(&fibers[i]);
        }
        if (!moved) {
            fputs("null CUDA: the threads of a block wait for each other forever\n", stderr);
            abort();
        }
    }
}
}  // namespace null_device

extern "C" void null_run(void (*entry)(void **), void **parameters, const unsigned *grid, const unsigned *block,
                         size_t shared) {
    using namespace null_device;
    if (stacks == nullptr) {
        stacks = (char *)mmap(nullptr, STACK * MOST, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    null_device::entry = entry;
    null_device::parameters = parameters;
    gridDim = {grid[0], grid[1], grid[2]};
    blockDim = {block[0], block[1], block[2]};
    threads = block[0] * block[1] * block[2];
    null_dynamic_shared = (unsigned char *)aligned_alloc(256, (shared + 511) / 256 * 256);
    // Shared memory holds anything at first on a device; NaNs show who relies on zeros.
    memset(null_dynamic_shared, 0xff, shared);
    for (blockIdx.z = 0; blockIdx.z < grid[2]; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < grid[1]; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < grid[0]; blockIdx.x++) run_block();
    free(null_dynamic_shared);
}

template <class... A, size_t... I>
static inline void null_call(void (*f)(A...), void **p, std::index_sequence<I...>) {
    f(*static_cast<std::decay_t<A> *>(p[I])...);
}
template <class... A>
static inline void null_invoke(void (*f)(A...), void **p) {
    null_call(f, p, std::index_sequence_for<A...>());
}

static inline void __syncthreads() { null_device::pause(null_device::BLOCK, 0); }
static inline void __syncwarp(unsigned mask = 0xffffffffu) { null_device::pause(null_device::WARP, mask); }
static inline void __threadfence() {}
static inline void __threadfence_block() {}

// Every lane shows its value, waits for the others, and reads one.
template <class T>
static inline T null_exchange(unsigned mask, T value, unsigned lane, int width) {
    using namespace null_device;
    unsigned thread = current->thread, own = thread % 32, side = turn[thread]++ & 1;
    memcpy(&slots[side][thread], &value, sizeof value);
    pause(WARP, mask);
    unsigned from = own / width == lane / width && lane < 32 ? lane : own;
    T result;
    memcpy(&result, &slots[side][thread - own + from], sizeof result);
    return result;
}
template <class T>
static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
    unsigned own = null_device::current->thread % 32;
    return null_exchange(mask, value, own / width * width + lane % width, width);
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    return null_exchange(mask, value, null_device::current->thread % 32 + delta, width);
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    return null_exchange(mask, value, null_device::current->thread % 32 - delta, width);
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
    return null_exchange(mask, value, null_device::current->thread % 32 ^ lanes, width);
}

template <class T, class F>
static inline T null_atomic(T *address, F change) {
    T old = *address;
    *address = change(old);
    return old;
}
template <class T>
static inline T atomicAdd(T *a, std::common_type_t<T> v) { return null_atomic(a, [&](T o) { return T(o + v); }); }
template <class T>
static inline T atomicMax(T *a, std::common_type_t<T> v) { return null_atomic(a, [&](T o) { return std::max(o, v); }); }
template <class T>
static inline T atomicMin(T *a, std::common_type_t<T> v) { return null_atomic(a, [&](T o) { return std::min(o, v); }); }
template <class T>
static inline T atomicExch(T *a, std::common_type_t<T> v) { return null_atomic(a, [&](T) { return v; }); }
template <class T>
static inline T atomicCAS(T *a, std::common_type_t<T> expected, std::common_type_t<T> v) {
    return null_atomic(a, [&](T o) { return o == expected ? v : o; });
}

template <class To, class From>
static inline To null_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
static inline float __int_as_float(int v) { return null_bits<float>(v); }
static inline float __uint_as_float(unsigned v) { return null_bits<float>(v); }
static inline int __float_as_int(float v) { return null_bits<int>(v); }
static inline unsigned __float_as_uint(float v) { return null_bits<unsigned>(v); }
static inline long long __double_as_longlong(double v) { return null_bits<long long>(v); }
static inline double __longlong_as_double(long long v) { return null_bits<double>(v); }
static inline float rsqrtf(float v) { return 1.0f / sqrtf(v); }
static inline double rsqrt(double v) { return 1.0 / sqrt(v); }
static inline float __frcp_rn(float v) { return 1.0f / v; }
static inline float __fsqrt_rn(float v) { return sqrtf(v); }
// The host's library has functions of these names of its own.
#define __expf(v) expf(v)
#define __logf(v) logf(v)
#define __log2f(v) log2f(v)
#define __powf(v, w) powf(v, w)
#define __sinf(v) sinf(v)
#define __cosf(v) cosf(v)
static inline float __fdividef(float a, float b) { return a / b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline float normcdff(float v) { return 0.5f * erfcf(-v * 0.70710678118654752f); }
static inline double normcdf(double v) { return 0.5 * erfc(-v * 0.70710678118654752); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
static inline uint64_t __umul64hi(uint64_t a, uint64_t b) { return (uint64_t)((unsigned __int128)a * b >> 64); }
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
template <class T>
static inline T __ldg(const T *p) { return *p; }

static inline float headroom_half_to_float(unsigned short bits) {
    unsigned sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 31) return __uint_as_float(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0) return (sign ? -1.0f : 1.0f) * ldexpf((float)fraction, -24);
    return __uint_as_float(sign | (exponent + 112) << 23 | fraction << 13);
}
static inline unsigned short headroom_float_to_half(float value) {
    unsigned short sign = __float_as_uint(value) >> 16 & 0x8000;
    float size = fabsf(value);
    if (size != size) return sign | 0x7fff;
    if (size >= 65520.0f) return sign | 0x7c00;
    // Below the normal numbers steps are 2^-24; nearbyintf rounds to nearest even.
    if (size < 6.103515625e-05f) return sign | (unsigned short)nearbyintf(ldexpf(size, 24));
    unsigned word = __float_as_uint(size);
    word += 0xfffu + (word >> 13 & 1u);
    return sign | (unsigned short)((word >> 13) - (112u << 10));
}
