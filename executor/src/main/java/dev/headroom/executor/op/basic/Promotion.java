package dev.headroom.executor.op.basic;

import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The type of a result of several operands (c10/core/ScalarType.h, promoteTypes; ATen/native/TypeProperties.cpp). */
public final class Promotion {
    private Promotion() {}

    /**
     * Tensors with dimensions decide before scalars, and those before numbers, unless a later one is of a higher
     * kind.
     */
    public static DType common(@Nullable Tensor... operands) {
        DType dimensioned = null;
        DType scalar = null;
        DType number = null;
        for (Tensor t : operands) {
            if (t == null) {
                continue;
            }
            if (!t.onDevice()) {
                number = promote(number, t.dtype());
            } else if (t.dims() == 0) {
                scalar = promote(scalar, t.dtype());
            } else {
                dimensioned = promote(dimensioned, t.dtype());
            }
        }
        return Objects.requireNonNull(combine(dimensioned, combine(scalar, number)), "an operand");
    }

    /** The type of an operation with a Python number. */
    public static DType withNumber(Tensor t, boolean whole) {
        return common(t, Tensor.number(whole ? DType.INT64 : DType.FLOAT32, 0));
    }

    /** A true division gives floating point. */
    public static DType floating(DType t) {
        return t.isFloatingPoint() || t.isComplex() ? t : DType.FLOAT32;
    }

    private static @Nullable DType combine(@Nullable DType higher, @Nullable DType lower) {
        if (higher == null || lower == null) {
            return higher == null ? lower : higher;
        }
        if (kind(lower) <= kind(higher)) {
            return higher;
        }
        // A number of a higher kind brings the default type of its kind.
        return lower;
    }

    private static int kind(DType t) {
        return t == DType.BOOL ? 0 : t.isComplex() ? 3 : t.isFloatingPoint() ? 2 : 1;
    }

    private static DType promote(@Nullable DType a, DType b) {
        if (a == null || a == b) {
            return b;
        }
        if (a.isComplex() || b.isComplex()) {
            DType wide = promote(a.ofParts(), b.ofParts());
            return wide.asComplex();
        }
        if (kind(a) != kind(b)) {
            return kind(a) > kind(b) ? a : b;
        }
        if (a.isReducedFloat() && b.isReducedFloat()) {
            return DType.FLOAT32;
        }
        if (a.bytes() == b.bytes()) {
            return DType.INT16; // int8 and uint8
        }
        return a.bytes() > b.bytes() ? a : b;
    }
}
