package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;

/** Values with their indices; {@link Selections} plays them. */
public final class SelectionRules {
    private SelectionRules() {}

    public static void register(Registry r) {
        r.add("aten.max.dim", c -> Selections.reduced(c, "MaxBackward0"));
        r.add("aten.min.dim", c -> Selections.reduced(c, "MinBackward0"));
        r.add("aten.median.dim", c -> Selections.median(c, "MedianBackward1"));
        r.add("aten.mode", Selections::mode);
        r.add("aten.kthvalue", c -> Selections.reduced(c, "KthvalueBackward0"));
        r.add("aten.cummax", c -> Selections.whole(c, "CummaxBackward0"));
        r.add("aten.cummin", c -> Selections.whole(c, "CumminBackward0"));
        r.add("aten.topk", Selections::topk);
        r.add("aten.sort", Selections::sort);
        r.single("aten.argsort", c -> {
            Tensor[] both = Selections.sort(c);
            c.runtime().free(both[0]);
            return both[1];
        });
        r.single("aten.cumsum", ScanRules::cumsum);
        Quantiles.register(r);
        Multinomials.register(r);
    }
}
