package dev.headroom.estimator.loop;

import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * {@code torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)} (torch/nn/utils/clip_grad.py): a norm of each
 * gradient, one of all norms, and a factor that gradients are multiplied with in place.
 */
public final class GradientClipping {
    private final EagerRuntime runtime;
    /** How gradients are divided among ranks. */
    public interface Parts {
        /** What norms are taken of: the gradients, or local variables of the running frame in their places. */
        List<Tensor> summed(List<Tensor> gradients);

        /** How many of them every rank has whole, so that their norms are divided before all are put together. */
        int whole(List<Tensor> gradients);

        /** From the norms of this rank's parts to those of the whole gradients: a local of the running frame. */
        Tensor across(Tensor norms);
    }

    private final UnaryOperator<Tensor> across;
    private final @Nullable Parts parts;

    public GradientClipping(EagerRuntime runtime) {
        this(runtime, norms -> norms);
    }

    /**
     * Clips gradients of which each rank has a part.
     *
     * @param across from the norms of this rank's parts to those of the whole gradients: a local of the running frame
     */
    public GradientClipping(EagerRuntime runtime, UnaryOperator<Tensor> across) {
        this.runtime = runtime;
        this.across = across;
        this.parts = null;
    }

    /** Clips gradients of which each rank has what {@code parts} says. */
    public GradientClipping(EagerRuntime runtime, Parts parts) {
        this.runtime = runtime;
        this.across = parts::across;
        this.parts = parts;
    }

    /** Clips as the scenario says; by value that is in place (torch/nn/utils/clip_grad.py, clip_grad_value_). */
    static void asked(TrainingLoop loop) {
        if (loop.prepared().scenario().loop().clipGradNorm() != null) {
            new GradientClipping(loop.runtime()).clip(loop.model().parameters());
        }
    }

    /** Clips the gradients of parameters; those without one are left out, and without any nothing happens. */
    public void clip(List<Tensor> parameters) {
        clip(parameters, total -> {});
    }

    /**
     * The same.
     *
     * @param result is handed what {@code clip_grad_norm_} returns: a local variable of the running frame
     */
    public void clip(List<Tensor> parameters, Consumer<Tensor> result) {
        List<Tensor> gradients =
                parameters.stream().map(Tensor::grad).filter(Objects::nonNull).toList();
        if (gradients.isEmpty()) {
            return;
        }
        try (Frame frame = runtime.frame()) {
            Tensor total = totalNorm(gradients);
            scale(total);
            result.accept(total);
            runtime.free(total);
        }
    }

    /**
     * {@code get_total_norm}: a scalar, a local variable of the running frame. Gradients come in groups of a type, the
     * type that appears last first, see {@link dev.headroom.estimator.optim.state.OptimizerState#groups}.
     */
    public Tensor totalNorm(List<Tensor> gradients) {
        Map<DType, List<Tensor>> byType = new LinkedHashMap<>();
        gradients.forEach(g ->
                byType.computeIfAbsent(g.dtype(), type -> new ArrayList<>()).add(g));
        List<List<Tensor>> groups = new ArrayList<>(byType.values());
        Collections.reverse(groups);
        try (Frame frame = runtime.frame()) {
            List<Tensor> norms = new ArrayList<>();
            groups.forEach(group -> norms.addAll(norms(group)));
            DType type = Strided.promote(norms.toArray(Tensor[]::new));
            List<Tensor> divided = new ArrayList<>();
            for (int i = 0; parts != null && i < parts.whole(gradients); i++) {
                divided.add(runtime.empty(type));
            }
            Tensor stacked = runtime.empty(type, norms.size());
            runtime.freeAll(divided);
            Tensor whole = across.apply(stacked);
            Tensor total = runtime.empty(type);
            runtime.freeUnless(whole, stacked);
            runtime.free(stacked);
            return frame.keep(total);
        }
    }

    private List<Tensor> norms(List<Tensor> own) {
        List<Tensor> gradients = parts == null ? own : parts.summed(own);
        List<Tensor> out = OptimizerArithmetic.scalarNorms(runtime, gradients);
        for (Tensor g : gradients) {
            if (!own.contains(g)) {
                runtime.free(g);
            }
        }
        return out;
    }

    /** {@code clip_grads_with_norm_}. */
    public void scale(Tensor total) {
        try (Frame frame = runtime.frame()) {
            Tensor sum = runtime.emptyLike(total); // total_norm + 1e-6
            Tensor reciprocal = runtime.emptyLike(total); // max_norm / sum is sum.reciprocal() * max_norm
            Tensor coefficient = runtime.emptyLike(total);
            runtime.free(reciprocal);
            runtime.free(sum);
            Tensor clamped = runtime.emptyLike(total);
            runtime.free(coefficient);
            runtime.free(clamped);
        }
    }
}
