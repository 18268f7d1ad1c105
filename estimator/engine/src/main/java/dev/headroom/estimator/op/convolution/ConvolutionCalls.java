package dev.headroom.estimator.op.convolution;

import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.view.Padding;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;

/**
 * {@code conv1d} to {@code conv3d}, transposed ones, and {@code convolution} itself: their arguments brought into one
 * form.
 */
final class ConvolutionCalls {
    private ConvolutionCalls() {}

    static Tensor plain(Call c, int n) {
        String word = c.textOrNull("padding");
        if (word == null) {
            return run(c, n, false, c.integers("padding", n, 0));
        }
        return word.equals("same") ? same(c, n) : run(c, n, false, new long[n]);
    }

    /**
     * {@code padding='same'}: what is not symmetric is padded first (ATen/native/Convolution.cpp, convolution_same).
     */
    private static Tensor same(Call c, int n) {
        Tensor w = c.tensor("weight");
        Tensor x = c.tensor("input");
        long[] dilation = c.integers("dilation", n, 1);
        long[] padding = new long[n];
        long[] sizes = x.sizes().clone();
        boolean symmetric = true;
        for (int i = 0; i < n; i++) {
            long total = dilation[i] * (w.size(i + 2) - 1);
            padding[i] = total / 2;
            sizes[x.dim() - n + i] += total % 2;
            symmetric &= total % 2 == 0;
        }
        if (symmetric) {
            return run(c, n, false, padding);
        }
        Tensor padded = Padding.constant(c.runtime(), x, sizes);
        Tensor out = run(c, padded, n, false, padding);
        c.runtime().free(padded);
        return out;
    }

    /** cuDNN takes no output padding as large as the stride (ATen/native/Convolution.cpp, is_output_padding_big). */
    static Tensor transposed(Call c, int n) {
        long[] stride = c.integers("stride", n, 1);
        long[] extra = c.integers("output_padding", n, 0);
        for (int i = 0; i < n; i++) {
            if (extra[i] >= stride[i]) {
                throw new NoRule("a transposed convolution with output padding as large as the stride");
            }
        }
        return run(c, n, true, c.integers("padding", n, 0));
    }

    static Tensor run(Call c, int n, boolean transposed, long[] padding) {
        return run(c, c.tensor("input"), n, transposed, padding);
    }

    static Tensor run(Call c, Tensor x, int n, boolean transposed, long[] padding) {
        EagerRuntime rt = c.runtime();
        boolean single = x.dim() == n + 1;
        Tensor batched = single ? Views.unsqueeze(rt, x, 0) : x;
        Convolution.Parameters p = new Convolution.Parameters(
                c.integers("stride", n, 1),
                padding,
                c.integers("dilation", n, 1),
                transposed,
                c.integers("output_padding", n, 0),
                c.integer("groups", 1));
        Tensor out = Convolution.convolution(rt, batched, c.tensor("weight"), c.tensorOrNull("bias"), p);
        return single ? Views.squeeze(rt, out, 0) : out;
    }
}
