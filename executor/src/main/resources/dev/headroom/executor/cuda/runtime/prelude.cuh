// Put before every kernel source: the types that CUDA C has only in headers, which a machine with NVRTC alone lacks.
// __half is IEEE binary16 and __nv_bfloat16 the upper half of binary32; conversions round to nearest even.
#if defined(__CUDACC_RTC__)
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#endif

struct __half {
    unsigned short bits;
    __half() = default;
    __device__ __half(float value) {
#if defined(__CUDACC_RTC__)
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#else
        bits = headroom_float_to_half(value);
#endif
    }
    __device__ operator float() const {
#if defined(__CUDACC_RTC__)
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
#else
        return headroom_half_to_float(bits);
#endif
    }
};

struct __nv_bfloat16 {
    unsigned short bits;
    __nv_bfloat16() = default;
    __device__ __nv_bfloat16(float value) {
        unsigned int word = __float_as_uint(value);
        bool nan = (word & 0x7fffffffu) > 0x7f800000u;
        bits = nan ? 0x7fff : (unsigned short)((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
    }
    __device__ operator float() const {
        return __uint_as_float((unsigned int)bits << 16);
    }
};
