package dev.headroom.ops;

import dev.headroom.graph.GraphException;
import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Tensor;

/** {@code conv1d} to {@code conv3d}, transposed ones, and {@code convolution} itself. */
final class ConvolutionRules {
    private ConvolutionRules() {}

    static void register(Registry r) {
        for (int dims = 1; dims <= 3; dims++) {
            int n = dims;
            r.single("aten.conv" + n + "d", c -> plain(c, n));
            r.single("aten.conv_transpose" + n + "d", c -> transposed(c, n));
        }
        r.single("aten.convolution", c -> {
            int n = c.tensor("input").dim() - 2;
            return run(c, n, c.flag("transposed", false), c.integers("padding", n, 0));
        });
    }

    private static Tensor plain(Call c, int n) {
        String word = c.text("padding", null);
        if (word == null) {
            return run(c, n, false, c.integers("padding", n, 0));
        }
        long[] padding = new long[n];
        Tensor w = c.tensor("weight");
        long[] dilation = c.integers("dilation", n, 1);
        for (int i = 0; i < n && word.equals("same"); i++) {
            long total = dilation[i] * (w.size(i + 2) - 1);
            if (total % 2 != 0) {
                throw new GraphException("node " + c.node().name()
                        + ": padding='same' with an even kernel pads one side more, which has no rule yet; "
                        + "pad explicitly before exporting");
            }
            padding[i] = total / 2;
        }
        return run(c, n, false, padding);
    }

    private static Tensor transposed(Call c, int n) {
        return run(c, n, true, c.integers("padding", n, 0));
    }

    private static Tensor run(Call c, int n, boolean transposed, long[] padding) {
        Runtime rt = c.runtime();
        Tensor x = c.tensor("input");
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
