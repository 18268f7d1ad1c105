package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.loop.GradientClipping;
import dev.headroom.estimator.runtime.Distribution;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.plan.Placement;
import java.util.ArrayList;
import java.util.List;

/**
 * Norms of gradients that are DTensors (torch/distributed/tensor/_ops/_math_ops.py, foreach_norm_strategy and
 * _NormPartial).
 */
final class SharedNorms implements GradientClipping.Parts {
    private final EagerRuntime rt;
    private final Distribution.Ranks ranks;
    private final List<Tensor> parameters;

    SharedNorms(EagerRuntime rt, Distribution.Ranks ranks, List<Tensor> parameters) {
        this.rt = rt;
        this.ranks = ranks;
        this.parameters = parameters;
    }

    private Distribution of(Tensor gradient) {
        return parameters.stream()
                .filter(p -> p.grad() == gradient)
                .findFirst()
                .orElseThrow()
                .givenDistribution();
    }

    /** Summands are summed first. */
    @Override
    public List<Tensor> summed(List<Tensor> gradients) {
        List<Tensor> out = new ArrayList<>();
        for (Tensor g : gradients) {
            Distribution of = of(g);
            out.add(
                    of.gradient().isPartial()
                            ? ranks.redistribute(g, of.gradient(), Placement.REPLICATE, of.sizes(), false)
                            : g);
        }
        return out;
    }

    @Override
    public int whole(List<Tensor> gradients) {
        int whole = (int)
                gradients.stream().filter(g -> !of(g).gradient().isShard()).count();
        return whole == gradients.size() ? 0 : whole;
    }

    /** Squares are summed over all ranks. */
    @Override
    public Tensor across(Tensor norms) {
        if (parameters.stream()
                .noneMatch(p ->
                        p.grad() != null && p.givenDistribution().gradient().isShard())) {
            return norms;
        }
        try (Frame frame = rt.frame()) {
            Tensor squares = rt.emptyLike(norms);
            Tensor sum = ranks.redistribute(squares, Placement.PARTIAL, Placement.REPLICATE, norms.sizes(), false);
            Tensor out = rt.emptyLike(sum);
            rt.free(squares);
            return frame.keep(out);
        }
    }
}
