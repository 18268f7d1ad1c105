package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Sums, means, deviations, extrema, norms; {@link Aggregates} plays those that are more than one reduction. */
public final class ReductionRules {
    private ReductionRules() {}

    public static void register(Registry r) {
        r.single("aten.sum", c -> {
            Tensor t = c.tensor("self");
            DType type = c.type("dtype", Aggregates.floating(t) ? t.dtype() : DType.INT64);
            return Reductions.sum(c.runtime(), t, c.integersOrNull("dim"), Aggregates.keep(c), type);
        });
        r.single("aten.nansum", Aggregates::nansum);
        r.single("aten.mean", c -> {
            Tensor t = c.tensor("self");
            return Reductions.mean(
                    c.runtime(), t, c.integersOrNull("dim"), Aggregates.keep(c), c.type("dtype", t.dtype()));
        });
        r.single("aten.all", Aggregates::logical);
        r.single("aten.any", Aggregates::logical);
        r.single("aten.argmax", Aggregates::indices);
        r.single("aten.argmin", Aggregates::indices);
        r.single("aten.count_nonzero", Aggregates::countNonzero);
        r.single("aten.var", c -> Deviation.run(c, "VarBackward0", false, false)[0]);
        r.single("aten.std", c -> Deviation.run(c, "StdBackward0", true, false)[0]);
        r.add("aten.var_mean", c -> Deviation.run(c, "VarMeanBackward0", false, true));
        r.add("aten.std_mean", c -> Deviation.run(c, "StdMeanBackward0", true, true));
        r.single("aten.amax", c -> Aggregates.extremum(c, "AmaxBackward0", c.integersOrNull("dim")));
        r.single("aten.amin", c -> Aggregates.extremum(c, "AminBackward0", c.integersOrNull("dim")));
        for (String name : new String[] {"max", "min"}) {
            r.single("aten." + name + ".default", Aggregates::extremumOfAll);
        }
        r.add("aten.aminmax", Aggregates::aminmax);
        r.single("aten.logsumexp", Aggregates::logSumExp);
        r.single("aten.linalg_vector_norm", c -> Norms.vector(c, c.integersOrNull("dim")));
        r.single("aten.norm.ScalarOpt_dim", c -> Norms.vector(c, c.integersOrNull("dim")));
        r.single("aten.norm.Scalar", c -> Norms.vector(c, null));
        r.single("aten.linalg_matrix_norm.str_ord", c -> {
            if (!c.text("ord", "fro").equals("fro")) {
                throw new NoRule("the nuclear norm");
            }
            return Norms.vector(c, c.has("dim") ? c.integers("dim") : new long[] {-2, -1});
        });
        r.single("aten.diff", Aggregates::diff);
        r.single("aten.histc", Histogram::run);
        r.single("aten.bincount", Histogram::bincount);
        Gradients.register(r);
        r.single("aten.segment_reduce", Segments::run);
    }
}
