// Elements of device memory as doubles, by cudaDataType.
#ifndef NUMBER_H
#define NUMBER_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { R_32F = 0, R_64F = 1, R_16F = 2, R_16BF = 14 };

static inline int number_bytes(int type) {
    return type == R_64F ? 8 : type == R_32F ? 4 : type == R_16F || type == R_16BF ? 2 : 0;
}

static inline double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31 ? (fraction ? NAN : INFINITY)
            : exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

// Rounded to nearest even once, to fraction bits and a smallest exponent.
static inline uint16_t half_bits(double value) {
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (isnan(value)) return 0x7fff;
    if (size >= 65520) return sign | 0x7c00;
    if (size < ldexp(1, -14)) return sign | (uint16_t)nearbyint(ldexp(size, 24));
    int exponent;
    double fraction = frexp(size, &exponent);
    return sign | (uint16_t)((exponent + 13) * 1024 + (int)nearbyint(ldexp(fraction, 11)));
}

static inline double get_number(const void *base, int64_t index, int type) {
    if (type == R_64F) return ((const double *)base)[index];
    if (type == R_32F) return ((const float *)base)[index];
    uint16_t bits = ((const uint16_t *)base)[index];
    if (type == R_16F) return half_value(bits);
    uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline void put_number(void *base, int64_t index, int type, double value) {
    if (type == R_64F) ((double *)base)[index] = value;
    else if (type == R_32F) ((float *)base)[index] = (float)value;
    else if (type == R_16F) ((uint16_t *)base)[index] = half_bits((float)value);
    else {
        float single = (float)value;
        uint32_t word;
        memcpy(&word, &single, sizeof word);
        ((uint16_t *)base)[index] = isnan(single) ? 0x7fff : (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
    }
}

#endif
