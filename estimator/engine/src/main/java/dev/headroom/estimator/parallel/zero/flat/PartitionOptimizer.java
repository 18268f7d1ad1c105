package dev.headroom.estimator.parallel.zero.flat;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.zero.base.DeviceMath;
import dev.headroom.estimator.parallel.zero.base.StepScale;
import dev.headroom.estimator.parallel.zero.base.ZeroSettings;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Steps the own partition in float32 and gathers all partitions (deepspeed/runtime/zero/stage_1_and_2.py,
 * DeepSpeedZeroOptimizer.step).
 */
final class PartitionOptimizer implements Optimizer {
    private final EagerRuntime runtime;
    private final Collectives collectives;
    private final FlatGroups groups;
    private final KeptGradients gradients;
    private final StepNorms norms;
    private final StepScale scale;
    private final List<Part> parts = new ArrayList<>();
    private final DeviceMath math;

    /**
     * What the own rank steps of a group.
     *
     * @param master weights in float32
     * @param own steps them; {@code null} for nobody
     */
    private record Part(
            FlatGroup group, Tensor master, @Nullable Optimizer own) {}

    /** @param masters by group; {@code null} where they are in the host's memory */
    PartitionOptimizer(
            EagerRuntime runtime,
            Collectives collectives,
            ZeroSettings settings,
            FlatGroups groups,
            KeptGradients gradients,
            List<@Nullable Tensor> masters,
            Function<List<Tensor>, @Nullable Optimizer> make) {
        this.runtime = runtime;
        this.collectives = collectives;
        this.groups = groups;
        this.gradients = gradients;
        this.norms = new StepNorms(runtime, collectives, settings);
        this.scale = new StepScale(runtime, settings.clips());
        this.math = new DeviceMath(runtime);
        try (Frame frame = runtime.frame()) {
            for (int i = 0; i < masters.size(); i++) {
                Tensor master = masters.get(i);
                FlatGroup group = groups.all().get(i);
                if (master != null) {
                    runtime.empty(DType.FLOAT32, group.partition()); // a first gradient (initialize_optimizer_states)
                    parts.add(new Part(group, master, make.apply(List.of(master))));
                }
            }
        }
    }

    /** The master weights of the own partition; {@code null} where they are in the host's memory. */
    static @Nullable Tensor master(EagerRuntime runtime, FlatGroup group, boolean onHost) {
        try (Frame frame = runtime.frame()) {
            Tensor copy = Copies.clone(runtime, group.ownPart());
            if (onHost) {
                return null;
            }
            Tensor made = runtime.hold(Copies.to(runtime, copy, DType.FLOAT32));
            runtime.setCategory(made, Category.OPTIMIZER_STATE);
            return made;
        }
    }

    @Override
    public void step() {
        try (Frame frame = runtime.frame()) {
            norms.checkOverflow(groups.all().stream()
                    .flatMap(group -> gradients.averaged(group).stream())
                    .toList());
            Tensor norm = norms.global(groups.all(), gradients);
            if (!parts.isEmpty()) {
                scale.keep(Objects.requireNonNull(norm));
            }
            for (Part part : parts) {
                step(part, norm);
            }
            for (FlatGroup group : groups.all()) {
                gradients.release(group);
                gather(group);
            }
        }
        scale.stepped();
    }

    private void gather(FlatGroup group) {
        if (collectives.group().size() > 1) {
            long bytes = group.partition() * group.type().bytes();
            collectives.runHere(CollectiveKind.ALL_GATHER, bytes, group.type(), -1);
        }
    }

    private void step(Part part, @Nullable Tensor norm) {
        Tensor weights = part.master();
        try (Frame frame = runtime.frame()) {
            Tensor flat = math.flatten(gradients.averaged(part.group()));
            Tensor gradient = Copies.to(runtime, flat, DType.FLOAT32);
            runtime.setCategory(gradient, Category.GRADIENTS);
            runtime.setGrad(weights, gradient);
            runtime.freeUnless(flat, gradient);
            runtime.free(gradient);
        }
        gradients.release(part.group());
        scale.apply(norm);
        if (part.own() != null) {
            part.own().step();
        }
        runtime.setGrad(weights, null);
    }

    @Override
    public List<Tensor> state(int parameter) {
        return List.of();
    }
}
