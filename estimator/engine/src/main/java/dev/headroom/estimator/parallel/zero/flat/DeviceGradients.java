package dev.headroom.estimator.parallel.zero.flat;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.parallel.zero.base.DeviceMath;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Shapes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gradients of the own partition on the device: whole ones of each parameter, in one buffer a pass, to which later
 * passes add (deepspeed/runtime/zero/stage_1_and_2.py, copy_grads_in_partition and get_flat_partition).
 */
final class DeviceGradients implements KeptGradients {
    private final EagerRuntime runtime;
    private final FlatGroup group;
    private final DeviceMath math;

    /** The buffer of the pass. */
    private @Nullable Tensor buffer;

    private long filled;

    /** Sums over the passes so far ({@code all_grad_tensors}). */
    private List<Tensor> sums = new ArrayList<>();

    private List<Tensor> averaged = new ArrayList<>();

    DeviceGradients(EagerRuntime runtime, FlatGroup group) {
        this.runtime = runtime;
        this.group = group;
        this.math = new DeviceMath(runtime);
    }

    @Override
    public void keep(Tensor parameter, boolean lastPass) {
        if (buffer == null) {
            filled = 0;
            try (Frame frame = runtime.frame()) {
                long numel = group.own().stream().mapToLong(Tensor::numel).sum();
                buffer = runtime.hold(
                        runtime.emptyStrided(group.type(), new long[] {numel}, new long[] {1}, Category.GRADIENTS));
            }
        }
        runtime.setData(Objects.requireNonNull(parameter.grad()), buffer, Shapes.contiguous(parameter.sizes()), filled);
        filled += parameter.numel();
    }

    @Override
    public void sum(boolean lastPass) {
        List<Tensor> now = new ArrayList<>();
        try (Frame frame = runtime.frame()) {
            for (Tensor p : group.own()) {
                now.add(runtime.hold(p.grad() != null ? p.grad() : Copies.contiguous(runtime, runtime.emptyLike(p))));
            }
        }
        if (sums.isEmpty()) {
            sums = now;
        } else {
            now.forEach(runtime::release); // added in place
        }
        if (lastPass) {
            average();
        }
    }

    /** get_flat_partition: parts of the sums, and zeros behind the last parameter. */
    private void average() {
        release(averaged);
        try (Frame frame = runtime.frame()) {
            List<Tensor> own = group.own();
            for (int i = 0; i < own.size(); i++) {
                Slice part = group.own(own.get(i));
                Tensor sum = sums.get(i);
                averaged.add(runtime.hold(
                        Objects.requireNonNull(part).numel() == sum.numel()
                                ? sum
                                : math.narrow(Copies.contiguous(runtime, sum), part.start(), part.numel())));
            }
            if (group.ownPadding() > 0) {
                averaged.add(runtime.hold(runtime.empty(group.type(), group.ownPadding())));
            }
        }
        release(sums);
    }

    @Override
    public void endPass() {
        runtime.release(buffer);
        buffer = null;
    }

    @Override
    public List<Tensor> averaged() {
        return averaged;
    }

    @Override
    public void release() {
        release(averaged);
    }

    private void release(List<Tensor> tensors) {
        tensors.forEach(runtime::release);
        tensors.clear();
    }
}
