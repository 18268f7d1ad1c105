package dev.headroom.estimator.op.convolution;

import dev.headroom.estimator.op.rule.Registry;

/** Convolutions by their names; {@link ConvolutionCalls} plays them. */
public final class ConvolutionRules {
    private ConvolutionRules() {}

    public static void register(Registry r) {
        for (int dims = 1; dims <= 3; dims++) {
            int n = dims;
            r.single("aten.conv" + n + "d", c -> ConvolutionCalls.plain(c, n));
            r.single("aten.conv_transpose" + n + "d", c -> ConvolutionCalls.transposed(c, n));
        }
        r.single("aten.conv_tbc", TimeConvolution::run);
        r.single("aten.convolution", c -> {
            int n = c.tensor("input").dim() - 2;
            return ConvolutionCalls.run(c, n, c.flag("transposed", false), c.integers("padding", n, 0));
        });
    }
}
