package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What PyTorch's TensorIterator decides for element-wise operators: shape, layout and type of the result. */
public final class Strided {
    private Strided() {}

    /** A fresh result of an element-wise operator in its promoted type. */
    public static Tensor result(EagerRuntime rt, Tensor... operands) {
        return result(rt, promote(operands), operands);
    }

    /** A fresh result of an element-wise operator: broadcast shape, the operands' layout. */
    public static Tensor result(EagerRuntime rt, DType type, Tensor... operands) {
        long[] sizes = operands[0].sizes();
        boolean same = true;
        for (int i = 1; i < operands.length; i++) {
            if (!Arrays.equals(operands[i].sizes(), sizes)) {
                sizes = Shapes.broadcast(sizes, operands[i].sizes());
                same = false;
            }
        }
        return rt.emptyStrided(type, sizes, strides(sizes, same, operands));
    }

    /** ATen/TensorIterator.cpp: fast_set_up where all operands agree, else reorder_dimensions. */
    private static long[] strides(long[] sizes, boolean same, Tensor... operands) {
        if (same) {
            boolean contiguous = true;
            boolean equal = true;
            boolean channelsLast = true;
            for (Tensor t : operands) {
                contiguous &= t.isContiguous();
                channelsLast &= Shapes.isChannelsLastContiguous(t.sizes(), t.strides());
                equal &= Arrays.equals(t.strides(), operands[0].strides()) && t.isNonOverlappingAndDense();
            }
            if (contiguous) {
                return Shapes.contiguous(sizes);
            }
            if (channelsLast) {
                return Shapes.channelsLast(sizes);
            }
            if (equal) {
                return operands[0].strides();
            }
        }
        long[][] strides = new long[operands.length][];
        for (int i = 0; i < strides.length; i++) {
            strides[i] = Shapes.expandedStrides(operands[i].sizes(), operands[i].strides(), sizes);
        }
        return Shapes.denseInOrder(sizes, Shapes.order(sizes, strides));
    }

    /** {@code torch.result_type}: tensors before 0-dimensional ones before numbers (ATen/native/TypeProperties.cpp). */
    public static DType promote(Tensor... operands) {
        DType dims = null;
        DType zero = null;
        DType wrapped = null;
        for (Tensor t : operands) {
            if (t.isWrappedNumber()) {
                wrapped = join(wrapped, t.dtype());
            } else if (t.dim() == 0) {
                zero = join(zero, t.dtype());
            } else {
                dims = join(dims, t.dtype());
            }
        }
        return Objects.requireNonNull(combine(combine(dims, zero), wrapped), "operands");
    }

    /** The type of a result of two operands that are no Python numbers; one without dimensions yields. */
    public static DType promote(DType a, int dimsOfA, DType b, int dimsOfB) {
        if (dimsOfA == 0 == (dimsOfB == 0)) {
            return join(a, b);
        }
        return Objects.requireNonNull(dimsOfA == 0 ? combine(b, a) : combine(a, b));
    }

    private static @Nullable DType combine(@Nullable DType higher, @Nullable DType lower) {
        if (higher == null) {
            return lower;
        }
        if (lower == null || category(lower) <= category(higher)) {
            return higher;
        }
        return join(higher, lower);
    }

    private static int category(DType t) {
        if (t.isComplex()) {
            return 3;
        }
        if (t.isFloatingPoint()) {
            return 2;
        }
        return t == DType.BOOL ? 0 : 1;
    }

    /** {@code c10::promoteTypes}. */
    public static DType join(@Nullable DType a, DType b) {
        if (a == null || a == b) {
            return b;
        }
        if (b == null) {
            return a;
        }
        int ca = category(a);
        int cb = category(b);
        if (ca != cb) {
            return ca > cb ? a : b;
        }
        if (ca == 1) {
            boolean mixed = (a == DType.UINT8) != (b == DType.UINT8);
            DType larger = a.bytes() >= b.bytes() ? a : b;
            return mixed && larger.bytes() == 1 ? DType.INT16 : larger;
        }
        if (a.bytes() == b.bytes()) {
            return ca == 2 ? DType.FLOAT32 : a; // float16 and bfloat16 meet in float32
        }
        return a.bytes() > b.bytes() ? a : b;
    }

    /** The type of a quotient, root or mean: integers become the default floating-point type. */
    public static DType floating(DType t) {
        return t.isFloatingPoint() || t.isComplex() ? t : DType.FLOAT32;
    }
}
