package dev.headroom.estimator.op.fused;

import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;

/**
 * BLOOM's GELU, an {@code autograd.Function} of plain operators (transformers, models/bloom/modeling_bloom.py,
 * GeLUFunction, bloom_gelu_forward and bloom_gelu_back): its input is kept, and temporaries come and go as Python lets
 * go of them.
 */
final class BloomGelu {
    private BloomGelu() {}

    static Tensor run(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Recorder r = rt.record("GeLUFunctionBackward", x);
        Saved kept = r.save(x);
        Tensor half = rt.emptyLike(x);
        Tensor tanh = bent(rt, x);
        Tensor shifted = freeing(rt, x, tanh);
        Tensor out = freeing(rt, x, half, shifted);
        return r.gradient(0, g -> backward(rt, kept.get(), g)).output(out);
    }

    private static Tensor backward(EagerRuntime rt, Tensor x, Tensor g) {
        Tensor tanh = bent(rt, x);
        Tensor half = rt.emptyLike(x);
        Tensor square = rt.emptyLike(x);
        Tensor rest = freeing(rt, x, square);
        Tensor slope = rt.emptyLike(x);
        slope = freeing(rt, x, slope);
        slope = freeing(rt, x, slope);
        Tensor product = freeing(rt, x, rest, slope);
        Tensor left = freeing(rt, x, half, product);
        Tensor shifted = rt.emptyLike(x);
        Tensor right = freeing(rt, x, shifted);
        freeing(rt, x, left, right); // is there until the end
        Tensor out = rt.emptyLike(g);
        rt.free(tanh);
        return out;
    }

    /** {@code torch.tanh(0.79788456 * x * (1 + 0.044715 * x * x))}. */
    private static Tensor bent(EagerRuntime rt, Tensor x) {
        Tensor scaled = rt.emptyLike(x);
        Tensor cubic = rt.emptyLike(x);
        cubic = freeing(rt, x, cubic);
        cubic = freeing(rt, x, cubic);
        Tensor inner = freeing(rt, x, scaled, cubic);
        return freeing(rt, x, inner);
    }

    /** A result like {@code x}, after which its operands are let go of. */
    private static Tensor freeing(EagerRuntime rt, Tensor x, Tensor... operands) {
        Tensor out = rt.emptyLike(x);
        for (Tensor t : operands) {
            rt.free(t);
        }
        return out;
    }
}
