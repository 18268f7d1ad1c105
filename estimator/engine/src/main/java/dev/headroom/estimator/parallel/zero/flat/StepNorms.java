package dev.headroom.estimator.parallel.zero.flat;

import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.zero.base.DeviceMath;
import dev.headroom.estimator.parallel.zero.base.ZeroSettings;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a step looks at before it steps: whether gradients are numbers, and how large they are together. */
final class StepNorms {
    private final EagerRuntime runtime;
    private final Collectives collectives;
    private final ZeroSettings settings;
    private final DeviceMath math;

    StepNorms(EagerRuntime runtime, Collectives collectives, ZeroSettings settings) {
        this.runtime = runtime;
        this.collectives = collectives;
        this.settings = settings;
        this.math = new DeviceMath(runtime);
    }

    /** has_overflow. */
    void checkOverflow(List<Tensor> gradients) {
        if (!settings.checksOverflow()) {
            return;
        }
        try (Frame frame = runtime.frame()) {
            if (!settings.offload().optimizer()) {
                Tensor count = runtime.empty(DType.FLOAT32, 1);
                for (Tensor gradient : gradients) {
                    runtime.free(math.overflows(gradient));
                }
                runtime.empty(DType.BOOL, 1);
                runtime.free(count);
            }
            Tensor bytes = runtime.empty(DType.UINT8, 1);
            collectives.runHere(CollectiveKind.ALL_REDUCE, bytes.nbytes(), DType.UINT8, -1);
            runtime.streams().hostWaits();
        }
    }

    /**
     * scaled_global_norm: of the groups' norms.
     *
     * @param kept gradients of the own partition; what is behind the last parameter is left out
     * @return a local variable of the running frame, or {@code null} where it is a number of the host's
     */
    @Nullable
    Tensor global(List<FlatGroup> groups, KeptGradients kept) {
        try (Frame frame = runtime.frame()) {
            if (settings.offload().optimizer()) {
                for (FlatGroup unused : groups) {
                    runtime.free(summed(runtime.empty(DType.FLOAT32, 1)));
                }
                runtime.streams().hostWaits();
                return null;
            }
            List<Tensor> norms = new ArrayList<>();
            for (FlatGroup group : groups) {
                List<Tensor> gradients = kept.averaged(group);
                int parameters = Math.min(group.own().size(), gradients.size());
                norms.add(direct(gradients.subList(0, parameters)));
            }
            Tensor out = math.normOf(norms);
            runtime.freeAll(norms);
            return frame.keep(out);
        }
    }

    private Tensor summed(Tensor total) {
        sum(total);
        return total;
    }

    private void sum(Tensor total) {
        collectives.runHere(CollectiveKind.ALL_REDUCE, total.nbytes(), total.dtype(), -1);
    }

    /** get_grad_norm_direct. */
    private Tensor direct(List<Tensor> gradients) {
        try (Frame frame = runtime.frame()) {
            List<Tensor> norms = new ArrayList<>();
            for (Tensor gradient : gradients) {
                norms.add(math.norm(gradient));
            }
            Tensor total = norms.isEmpty() ? runtime.empty(DType.FLOAT32) : math.sumOfSquares(norms, DType.FLOAT32);
            sum(total);
            total = math.replaced(total);
            math.mask(total);
            return frame.keep(total);
        }
    }
}
