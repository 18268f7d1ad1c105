package dev.headroom.ops;

import dev.headroom.graph.DType;
import dev.headroom.shadow.Recording;
import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Saved;
import dev.headroom.shadow.Tensor;

/** Dropout (ATen/native/Dropout.cpp, ATen/native/cuda/Dropout.cu). */
final class DropoutRules {
    private DropoutRules() {}

    static void register(Registry r) {
        r.single(
                "aten.dropout",
                c -> dropout(c.runtime(), c.tensor("input"), c.number("p", 0.5), c.flag("train", false)));
        r.single("aten.dropout_", c -> dropoutInPlace(c));
    }

    /** The fused kernel makes the mask first and keeps only it. */
    static Tensor dropout(Runtime rt, Tensor x, double p, boolean train) {
        if (p == 0 || !train || x.numel() == 0) {
            return x;
        }
        if (p == 1) {
            return Pointwise.mul(rt, x, rt.empty(x.dtype()));
        }
        Recording r = rt.record("NativeDropoutBackward0", x);
        Tensor mask = rt.emptyLike(x, DType.BOOL);
        Tensor out = rt.emptyLike(x);
        if (r != null) {
            Saved kept = r.saveOutput(mask);
            r.gradient(0, g -> {
                        kept.get();
                        return rt.emptyLike(g);
                    })
                    .output(out)
                    .nonDifferentiable(mask);
        }
        rt.free(mask);
        return out;
    }

    /** In place: noise in the input's layout, then {@code mul_}, which keeps the noise (Dropout.cpp, _dropout_impl). */
    private static Tensor dropoutInPlace(Call c) {
        Runtime rt = c.runtime();
        Tensor x = c.tensor("self");
        if (c.number("p", 0.5) == 0 || !c.flag("train", false) || x.numel() == 0) {
            return x;
        }
        Tensor noise = rt.emptyLike(x);
        Pointwise.mulInPlace(rt, x, noise);
        rt.free(noise);
        return x;
    }
}
