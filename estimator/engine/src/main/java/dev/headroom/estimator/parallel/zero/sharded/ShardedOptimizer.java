package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.optim.Optimizer;
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
import org.jspecify.annotations.Nullable;

/** Steps the own parts of all parameters (deepspeed/runtime/zero/stage3.py, DeepSpeedZeroOptimizer_Stage3.step). */
final class ShardedOptimizer implements Optimizer {
    /** What it steps, and with what. */
    interface Parts {
        /** Gives all whole parameters up. */
        void release();

        /** The flat buffer of all parts of gradients; {@code null} while it is in the host's memory. */
        @Nullable
        Tensor gradients();

        /** Norms of some parameters' gradients, while these are in the host's memory. */
        List<Tensor> norms(List<ShardedParameter> parameters);

        /** The step is done: brings back what stays whole. */
        void stepped();
    }

    private final EagerRuntime runtime;
    private final ZeroSettings settings;
    private final List<SubGroup> groups;
    private final Parts parts;
    private final ShardedNorms norms;
    private final StepScale scale;
    private final DeviceMath math;
    private final boolean half;

    ShardedOptimizer(
            EagerRuntime runtime, ZeroSettings settings, List<SubGroup> groups, Parts parts, ShardedNorms norms) {
        this.runtime = runtime;
        this.settings = settings;
        this.groups = groups;
        this.parts = parts;
        this.norms = norms;
        this.scale = new StepScale(runtime, settings.clips());
        this.math = new DeviceMath(runtime);
        this.half = groups.get(0).parameters().get(0).type() == DType.FLOAT16;
    }

    @Override
    public void step() {
        try (Frame frame = runtime.frame()) {
            parts.release();
            if (half) {
                norms.checkOverflow(parts.gradients());
            }
            Tensor norm = settings.offload().optimizer() ? hostNorm() : deviceNorm();
            for (int i = 0; i < groups.size(); i++) {
                step(i, norm);
            }
            parts.stepped();
        }
        scale.stepped();
    }

    private @Nullable Tensor hostNorm() {
        groups.forEach(group -> norms.fromHost(parts.norms(group.parameters())));
        return null;
    }

    private Tensor deviceNorm() {
        List<Tensor> ofGroups = new ArrayList<>();
        for (int i = 0; i < groups.size(); i++) {
            try (Frame frame = runtime.frame()) {
                ofGroups.add(frame.keep(norms.direct(gradients(i))));
            }
        }
        Tensor norm = math.normOf(ofGroups);
        scale.keep(norm);
        return norm;
    }

    /** Parts of a group's gradients: of the own rank, with what they are padded with. */
    private List<Tensor> gradients(int group) {
        long at = 0;
        for (int i = 0; i < group; i++) {
            at += SubGroup.numel(groups.get(i).parameters());
        }
        List<Tensor> out = new ArrayList<>();
        for (ShardedParameter p : groups.get(group).parameters()) {
            out.add(math.narrow(Objects.requireNonNull(parts.gradients()), at, p.shardNumel()));
            at += p.shardNumel();
        }
        return out;
    }

    private void step(int i, @Nullable Tensor norm) {
        SubGroup group = groups.get(i);
        if (group.master() == null) {
            return;
        }
        try (Frame frame = runtime.frame()) {
            Tensor flat = math.flatten(gradients(i));
            Tensor gradient = Copies.to(runtime, flat, DType.FLOAT32);
            if (gradient != flat) {
                runtime.setCategory(gradient, Category.GRADIENTS);
            }
            runtime.setGrad(group.master(), gradient);
            runtime.freeUnless(flat, gradient);
            runtime.free(gradient);
            scale.apply(norm);
            if (group.own() != null) {
                group.own().step();
            }
            runtime.setGrad(group.master(), null);
        }
    }

    @Override
    public List<Tensor> state(int parameter) {
        return List.of();
    }
}
