package dev.headroom.executor.op.library;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.pointwise.Steps;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;

/**
 * BLOOM's GELU, an {@code autograd.Function} of plain kernels (transformers, models/bloom/modeling_bloom.py,
 * bloom_gelu_forward and bloom_gelu_back): each operand goes when the next one is there.
 */
final class BloomGelu {
    private static final double SLOPE = 0.79788456;
    private static final double CUBE = 0.044715;
    private static final double CUBE_SLOPE = 0.1070322243;
    private static final Formula TANH = Formula.unary("tanh", "tanh(x0)", Math::tanh);

    private final Eager e;
    private final Steps s;

    private BloomGelu(Eager e) {
        this.e = e;
        s = new Steps(e);
    }

    static Tensor apply(Eager e, Tensor x) {
        Recorder r = e.record("GeLUFunctionBackward", x);
        SavedTensor saved = r.save(x);
        BloomGelu kernels = new BloomGelu(e);
        Tensor out = e.call(() -> {
            Tensor half = kernels.s.times(x, 0.5);
            Tensor bent = kernels.bent(x);
            Tensor shifted = kernels.after(kernels.s.plus(bent, 1), bent);
            return kernels.after(kernels.s.times(half, shifted), half, shifted);
        });
        return r.backward(g -> new Tensor[] {e.call(() -> kernels.gradient(saved.get(), g[0]))})
                .output(out);
    }

    private Tensor gradient(Tensor x, Tensor g) {
        Tensor bent = bent(x);
        Tensor half = s.times(x, 0.5);
        Tensor square = s.times(bent, bent);
        Tensor rest = after(s.from(1, square), square);
        Tensor first = s.times(x, CUBE_SLOPE);
        Tensor second = after(s.times(first, x), first);
        Tensor slope = after(s.plus(second, SLOPE), second);
        Tensor product = after(s.times(rest, slope), rest, slope);
        Tensor left = after(s.times(half, product), half, product);
        Tensor shifted = s.plus(bent, 1);
        Tensor right = after(s.times(shifted, 0.5), shifted);
        Tensor sum = after(s.add(left, right), left, right);
        return after(s.times(sum, g), bent, sum);
    }

    /** {@code torch.tanh(0.79788456 * x * (1 + 0.044715 * x * x))}. */
    private Tensor bent(Tensor x) {
        Tensor scaled = s.times(x, SLOPE);
        Tensor first = s.times(x, CUBE);
        Tensor second = after(s.times(first, x), first);
        Tensor cubic = after(s.plus(second, 1), second);
        Tensor inner = after(s.times(scaled, cubic), scaled, cubic);
        return after(s.of(TANH, inner), inner);
    }

    /** A result, after which its operands go. */
    private Tensor after(Tensor result, Tensor... operands) {
        for (Tensor t : operands) {
            e.free(t);
        }
        return result;
    }
}
