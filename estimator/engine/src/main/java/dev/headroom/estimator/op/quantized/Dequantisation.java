package dev.headroom.estimator.op.quantized;

import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Weights in full, made from their quantised storage; nothing is recorded. */
public final class Dequantisation {
    private Dequantisation() {}

    /**
     * {@code bitsandbytes.functional.dequantize_4bit}: scales that are quantised too are restored first.
     *
     * @param nestedAbsmax {@code null} where scales are kept as they are
     */
    public static Tensor of4Bit(
            EagerRuntime rt, Tensor absmax, @Nullable Tensor nestedAbsmax, DType stored, long out, long in) {
        Tensor scales = nestedAbsmax == null ? null : rt.emptyLike(absmax, DType.FLOAT32);
        Tensor weight = rt.empty(stored, out, in);
        rt.free(scales);
        return weight;
    }

    static Tensor of4Bit(Call c) {
        long[] shape = c.integers("shape");
        return of4Bit(
                c.runtime(),
                c.tensor("absmax"),
                c.tensorOrNull("nested_absmax"),
                c.type("weight_dtype"),
                shape[0],
                shape[1]);
    }

    /** {@code int8_vectorwise_dequant}: integers times scales, times a constant (backends/default/ops.py). */
    static Tensor of8Bit(Call c) {
        long[] shape = c.integers("shape");
        return of8Bit(c.runtime(), shape[0], shape[1]);
    }

    /** The same. */
    public static Tensor of8Bit(EagerRuntime rt, long out, long in) {
        Tensor scaled = rt.empty(DType.FLOAT32, out, in);
        Tensor weight = rt.empty(DType.FLOAT32, out, in);
        rt.free(scaled);
        return weight;
    }
}
