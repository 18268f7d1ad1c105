package dev.headroom.estimator.parallel.zero.flat;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.parallel.zero.base.DeviceMath;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Shapes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gradients of the own partition on the device: whole ones of each parameter, in one buffer a pass, to which later
 * passes add (deepspeed/runtime/zero/stage_1_and_2.py, copy_grads_in_partition and get_flat_partition).
 */
final class DeviceGradients implements KeptGradients {
    private final EagerRuntime runtime;
    private final FlatGroups groups;
    private final DeviceMath math;

    /** The buffer of the pass. */
    private @Nullable Tensor buffer;

    private long filled;

    /** Of a group: sums over the passes so far ({@code all_grad_tensors}), and what the step takes of them. */
    private static final class Sums {
        private List<Tensor> tensors = new ArrayList<>();
        private final List<Tensor> averaged = new ArrayList<>();
    }

    private final Map<FlatGroup, Sums> sums = new LinkedHashMap<>();

    DeviceGradients(EagerRuntime runtime, FlatGroups groups) {
        this.runtime = runtime;
        this.groups = groups;
        this.math = new DeviceMath(runtime);
    }

    @Override
    public void keep(Tensor parameter, boolean lastPass) {
        if (buffer == null) {
            filled = 0;
            try (Frame frame = runtime.frame()) {
                long[] numel = {groups.ownNumel()};
                buffer = runtime.hold(runtime.emptyStrided(groups.type(), numel, new long[] {1}, Category.GRADIENTS));
            }
        }
        runtime.setData(Objects.requireNonNull(parameter.grad()), buffer, Shapes.contiguous(parameter.sizes()), filled);
        filled += parameter.numel();
    }

    @Override
    public void sum(boolean lastPass) {
        for (FlatGroup group : groups.all()) {
            Sums own = of(group);
            sum(group, own);
            if (lastPass) {
                average(group, own);
            }
        }
    }

    private Sums of(FlatGroup group) {
        return sums.computeIfAbsent(group, g -> new Sums());
    }

    private void sum(FlatGroup group, Sums own) {
        List<Tensor> now = new ArrayList<>();
        try (Frame frame = runtime.frame()) {
            for (Tensor p : group.own()) {
                now.add(runtime.hold(p.grad() != null ? p.grad() : Copies.contiguous(runtime, runtime.emptyLike(p))));
            }
        }
        if (own.tensors.isEmpty()) {
            own.tensors = now;
        } else {
            now.forEach(runtime::release); // added in place
        }
    }

    /** get_flat_partition: parts of the sums, and zeros behind the last parameter. */
    private void average(FlatGroup group, Sums sum) {
        release(sum.averaged);
        try (Frame frame = runtime.frame()) {
            List<Tensor> own = group.own();
            for (int i = 0; i < own.size(); i++) {
                Slice part = group.own(own.get(i));
                Tensor whole = sum.tensors.get(i);
                sum.averaged.add(runtime.hold(
                        Objects.requireNonNull(part).numel() == whole.numel()
                                ? whole
                                : math.narrow(Copies.contiguous(runtime, whole), part.start(), part.numel())));
            }
            if (group.ownPadding() > 0) {
                sum.averaged.add(runtime.hold(runtime.empty(group.type(), group.ownPadding())));
            }
        }
        release(sum.tensors);
    }

    @Override
    public void endPass() {
        runtime.release(buffer);
        buffer = null;
    }

    @Override
    public List<Tensor> averaged(FlatGroup group) {
        return of(group).averaged;
    }

    @Override
    public void release(FlatGroup group) {
        release(of(group).averaged);
    }

    private void release(List<Tensor> tensors) {
        tensors.forEach(runtime::release);
        tensors.clear();
    }
}
