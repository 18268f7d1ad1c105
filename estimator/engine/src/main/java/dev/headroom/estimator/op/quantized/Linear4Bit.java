package dev.headroom.estimator.op.quantized;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.NoGrad;
import dev.headroom.estimator.op.matmul.Matmul;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.quant.FusedKernel;
import org.jspecify.annotations.Nullable;

/**
 * {@code bitsandbytes.nn.Linear4bit} (nn/modules.py, Linear4bit.forward; autograd/_functions.py, MatMul4Bit;
 * backends/cuda/ops.py, gemm_4bit): the input goes to the type that is computed in and the result back. The weight is
 * read by a fused kernel, or restored for one matrix product.
 */
final class Linear4Bit {
    private final EagerRuntime rt;
    private final long out;
    private final long in;
    private final DType stored;
    private final Tensor absmax;

    /** {@code null} unless scales are quantised too. */
    private final @Nullable Tensor nestedAbsmax;

    private Linear4Bit(Call c) {
        rt = c.runtime();
        long[] shape = c.integers("shape");
        out = shape[0];
        in = shape[1];
        stored = c.type("weight_dtype");
        absmax = c.tensor("absmax");
        nestedAbsmax = c.tensorOrNull("nested_absmax");
    }

    static Tensor run(Call c) {
        return new Linear4Bit(c).forward(c.tensor("input"), c.tensorOrNull("bias"), c.type("compute_dtype"));
    }

    private Tensor forward(Tensor input, @Nullable Tensor bias, DType compute) {
        Tensor x = Copies.to(rt, input, compute);
        Bias.follow(rt, bias, compute);
        Tensor product = product(x, bias);
        Tensor result = Copies.to(rt, product, input.dtype());
        rt.freeUnless(product, result);
        rt.freeUnless(x, input);
        return result;
    }

    /** MatMul4Bit: nothing is saved but the packed weight, which the model holds anyway. */
    private Tensor product(Tensor x, @Nullable Tensor bias) {
        Recorder r = rt.record("MatMul4BitBackward", x, bias);
        Tensor made = NoGrad.call(rt, () -> isFused(x) ? fused(x) : restored(x, bias));
        return r.gradient(1, g -> g).gradient(0, this::backward).output(made);
    }

    private boolean isFused(Tensor x) {
        DeviceModel gpu = rt.device();
        FusedKernel.Card card = new FusedKernel.Card(gpu.major(), gpu.minor(), gpu.sms());
        return FusedKernel.takes(card, x.dtype(), x.numel() / in, out, in);
    }

    private Tensor fused(Tensor x) {
        Tensor rows = Copies.contiguous(rt, x);
        long[] sizes = x.sizes().clone();
        sizes[sizes.length - 1] = out;
        Tensor made = rt.empty(x.dtype(), sizes);
        rt.freeUnless(rows, x);
        return made;
    }

    /** _dequant_linear_fallback. */
    private Tensor restored(Tensor x, @Nullable Tensor bias) {
        try (Frame locals = rt.frame()) {
            @Nullable Tensor codes = null;
            @Nullable Tensor scales = null;
            if (nestedAbsmax != null) {
                codes = rt.emptyLike(absmax, DType.FLOAT32);
                scales = rt.emptyLike(absmax, DType.FLOAT32);
            }
            Tensor weight = rt.empty(x.dtype(), out, in);
            Tensor made = Matmul.linear(rt, x, weight, bias);
            rt.free(scales);
            rt.free(codes);
            return locals.keep(made);
        }
    }

    /** {@code torch.matmul(grad_output, dequantize_4bit(B, state).to(grad_output.dtype))}. */
    private Tensor backward(Tensor g) {
        try (Frame locals = rt.frame()) {
            Tensor weight = Dequantisation.of4Bit(rt, absmax, nestedAbsmax, stored, out, in);
            Tensor like = Copies.to(rt, weight, g.dtype());
            rt.freeUnless(weight, like);
            Tensor made = Matmul.matmul(rt, g, like);
            rt.free(like);
            return locals.keep(made);
        }
    }
}
