package dev.headroom.estimator.op.view;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.function.BiFunction;

/** Pairs of numbers as complex ones, and back, over the same memory (ATen/native/ComplexHelper.h). */
final class ComplexViews {
    private ComplexViews() {}

    /** {@code view_as_complex}: the last dimension holds the two parts. */
    static Tensor complex(EagerRuntime rt, Tensor t) {
        int last = t.dim() - 1;
        long[] strides = Arrays.stream(t.strides()).limit(last).map(s -> s / 2).toArray();
        DType type =
                switch (t.dtype()) {
                    case FLOAT64 -> DType.COMPLEX128;
                    case FLOAT16 -> DType.COMPLEX32;
                    default -> DType.COMPLEX64;
                };
        Tensor out = rt.reinterpret(t, type, Arrays.copyOf(t.sizes(), last), strides, t.offset() / 2);
        return rt.record("ViewAsComplexBackward0", t)
                .gradient(0, g -> dense(rt, g, ComplexViews::real))
                .output(out);
    }

    /** {@code view_as_real}. */
    static Tensor real(EagerRuntime rt, Tensor t) {
        int dims = t.dim();
        long[] sizes = Arrays.copyOf(t.sizes(), dims + 1);
        sizes[dims] = 2;
        long[] strides =
                Arrays.copyOf(Arrays.stream(t.strides()).map(s -> 2 * s).toArray(), dims + 1);
        strides[dims] = 1;
        DType type =
                switch (t.dtype()) {
                    case COMPLEX128 -> DType.FLOAT64;
                    case COMPLEX32 -> DType.FLOAT16;
                    default -> DType.FLOAT32;
                };
        Tensor out = rt.reinterpret(t, type, sizes, strides, 2 * t.offset());
        return rt.record("ViewAsRealBackward0", t)
                .gradient(0, g -> dense(rt, g, ComplexViews::complex))
                .output(out);
    }

    /** {@code view(grad.contiguous())} (tools/autograd/derivatives.yaml). */
    private static Tensor dense(EagerRuntime rt, Tensor g, BiFunction<EagerRuntime, Tensor, Tensor> view) {
        Tensor dense = Copies.contiguous(rt, g);
        Tensor out = view.apply(rt, dense);
        rt.freeUnless(dense, g);
        return out;
    }
}
