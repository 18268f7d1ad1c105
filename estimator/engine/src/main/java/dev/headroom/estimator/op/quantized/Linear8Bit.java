package dev.headroom.estimator.op.quantized;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.matmul.Matmul;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/**
 * {@code bitsandbytes.nn.Linear8bitLt} with frozen weights (autograd/_functions.py, MatMul8bitLt;
 * backends/cuda/ops.py, int8_vectorwise_quant, int8_linear_matmul and int8_mm_dequant): the input's rows become
 * integers, columns with outliers apart. Which columns have any depends on the data; here none has.
 */
final class Linear8Bit {
    private final EagerRuntime rt;
    private final long out;
    private final long in;
    private final Tensor scales;

    private Linear8Bit(Call c) {
        rt = c.runtime();
        long[] shape = c.integers("shape");
        out = shape[0];
        in = shape[1];
        scales = c.tensor("SCB");
    }

    static Tensor run(Call c) {
        return new Linear8Bit(c).forward(c.tensor("input"), c.tensorOrNull("bias"));
    }

    private Tensor forward(Tensor input, @Nullable Tensor bias) {
        Bias.follow(rt, bias, input.dtype());
        Recorder r = rt.record("MatMul8bitLtBackward", input, bias);
        boolean before = rt.setGradMode(false);
        Tensor x = input.dim() == 3 ? Views.reshape(rt, input, input.numel() / in, in) : input;
        Tensor made = product(input, x, bias);
        rt.setGradMode(before);
        if (r.records()) {
            r.attach(x); // a copy where the input's rows lie apart
        }
        rt.freeUnless(x, input);
        DType type = input.dtype();
        long[] sizes = input.sizes();
        return r.gradient(1, g -> g).gradient(0, g -> backward(g, type, sizes)).output(made);
    }

    private Tensor product(Tensor input, Tensor x, @Nullable Tensor bias) {
        long rows = input.numel() / in;
        Tensor half = Copies.to(rt, x, DType.FLOAT16);
        Tensor rowScales = rt.empty(DType.FLOAT32, rows);
        Tensor integers = rt.empty(DType.INT8, x.sizes());
        outliers(half, rows);
        rt.freeUnless(half, x);
        long[] sizes = input.sizes().clone();
        sizes[sizes.length - 1] = out;
        Tensor sums = rt.empty(DType.INT32, sizes);
        if (in % 4 != 0) {
            inFloats(rows);
        }
        Tensor halfOut = rt.empty(DType.FLOAT16, sizes);
        if (bias != null && bias.dtype() != DType.FLOAT16) {
            Pointwise.addInPlace(rt, halfOut, bias, false);
        }
        Tensor made = Copies.to(rt, halfOut, input.dtype());
        rt.freeUnless(halfOut, made);
        rt.free(sums);
        rt.free(integers);
        rt.free(rowScales);
        return made;
    }

    /** Which columns hold values above the threshold: none. */
    private void outliers(Tensor half, long rows) {
        Tensor absolute = rt.emptyLike(half);
        Tensor mask = rt.emptyLike(half, DType.BOOL);
        rt.free(absolute);
        rt.free(Reductions.reduce(rt, mask, Reductions.mask(null, mask.dim()), false, DType.BOOL, 1));
        if (rows > 1) {
            rt.free(rt.empty(DType.INT8)); // out_row[:, outlier_cols] = 0
        }
        rt.free(mask);
    }

    /** cuBLASLt multiplies no integers whose rows are no multiple of four long. */
    private void inFloats(long rows) {
        Tensor a = rt.empty(DType.FLOAT32, rows, in);
        Tensor b = rt.empty(DType.FLOAT32, out, in);
        Tensor product = Matmul.matmul(rt, a, Views.t(rt, b));
        rt.free(b);
        rt.free(a);
        Tensor integers = Copies.to(rt, product, DType.INT32);
        rt.free(product);
        rt.free(integers);
    }

    /** The weight is restored in the type of the input. */
    private Tensor backward(Tensor grad, DType type, long[] sizes) {
        try (Frame locals = rt.frame()) {
            Tensor flat = grad;
            if (grad.dim() == 3) {
                Tensor rows = Views.reshape(rt, grad, grad.numel() / out, out);
                flat = Copies.contiguous(rt, rows);
            }
            Tensor weight = rt.empty(type, out, in);
            Tensor factors = rt.emptyLike(scales);
            rt.free(factors);
            Tensor like = Copies.to(rt, flat, type);
            Tensor product = Matmul.matmul(rt, like, weight);
            rt.freeUnless(like, flat);
            Tensor made = Views.view(rt, product, sizes);
            rt.free(product);
            rt.free(weight);
            return locals.keep(made);
        }
    }
}
