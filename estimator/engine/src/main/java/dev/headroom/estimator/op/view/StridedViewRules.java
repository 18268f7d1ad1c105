package dev.headroom.estimator.op.view;

import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;

/** Views beyond slices and permutations; {@link StridedViews} plays them. */
public final class StridedViewRules {
    private StridedViewRules() {}

    public static void register(Registry r) {
        r.single("aten.as_strided", c -> {
            long[] sizes = c.integers("size");
            Tensor t = c.tensor("self");
            return Views.asStrided(
                    c.runtime(), t, sizes, c.integers("stride"), c.integer("storage_offset", t.offset()));
        });
        r.single("aten.view_as_complex", c -> ComplexViews.complex(c.runtime(), c.tensor("self")));
        r.single("aten.view_as_real", c -> ComplexViews.real(c.runtime(), c.tensor("self")));
        r.single("aten.diagonal", StridedViews::diagonal);
        r.single("aten.unfold", StridedViews::unfold);
        r.single("aten.as_strided_scatter", StridedScatter::run);
        r.single("aten.ravel", c -> Views.reshape(c.runtime(), c.tensor("self"), -1));
        r.single("aten.diag_embed", StridedViews::diagEmbed);
        r.single("aten.diag", StridedViews::diag);
        r.single("aten.rot90", StridedViews::rot90);
        r.add("aten.tensor_split.sections", StridedViews::tensorSplit);
        r.add("aten.tensor_split.indices", StridedViews::tensorSplit);
        r.add("aten.meshgrid", StridedViews::meshgrid);
        r.single("aten.repeat_interleave.self_int", StridedViews::repeatInterleave);
    }
}
