package dev.headroom.estimator.parallel.zero.flat;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.parallel.zero.base.DeviceMath;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Gradients of the own partition in the host's memory; the device keeps their norms until the step
 * (deepspeed/runtime/zero/stage_1_and_2.py, copy_grads_in_partition).
 */
final class HostGradients implements KeptGradients {
    private final EagerRuntime runtime;
    private final FlatGroups groups;
    private final DeviceMath math;
    private final List<Tensor> norms = new ArrayList<>();

    /** @param parameters of which the largest decides how much of the device copies take for good */
    HostGradients(EagerRuntime runtime, FlatGroups groups, List<Tensor> parameters) {
        this.runtime = runtime;
        this.groups = groups;
        this.math = new DeviceMath(runtime);
        try (Frame frame = runtime.frame()) {
            long largest = parameters.stream().mapToLong(Tensor::numel).max().orElse(0);
            runtime.hold(runtime.empty(groups.type(), largest)); // temp_grad_buffer_for_gpu_offload
        }
    }

    @Override
    public void keep(Tensor parameter, boolean lastPass) {
        if (!lastPass) {
            return;
        }
        Slice part = groups.own(parameter);
        try (Frame frame = runtime.frame()) {
            Tensor own = math.narrow(
                    Objects.requireNonNull(parameter.grad()),
                    Objects.requireNonNull(part).start(),
                    part.numel());
            norms.add(runtime.hold(math.norm(own)));
        }
        try (Frame frame = runtime.frame()) {
            math.overflows(Objects.requireNonNull(parameter.grad()));
            runtime.streams().hostWaits();
        }
        try (Frame frame = runtime.frame()) {
            Copies.to(
                    runtime,
                    math.narrow(Objects.requireNonNull(parameter.grad()), part.start(), part.numel()),
                    DType.FLOAT32);
        }
        runtime.setGrad(parameter, null);
    }

    @Override
    public List<Tensor> averaged(FlatGroup group) {
        return List.of();
    }

    /** reset_cpu_buffers. */
    @Override
    public void release(FlatGroup group) {
        norms.forEach(runtime::release);
        norms.clear();
    }
}
