package dev.headroom.estimator.optim;

import dev.headroom.allocator.AllocatorListener.Action;
import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/** Parameters on an H200, and what an optimizer allocates (positive bytes) and frees (negative) for them. */
final class Bench {
    private static final long MEMORY = 1L << 38;

    final CachingAllocator allocator =
            new CachingAllocator(AllocatorSettings.parse(""), new SimulatedDeviceMemory(MEMORY, 0));
    final EagerRuntime runtime =
            new EagerRuntime(allocator, new DeviceModel(9, 0, 132), new KernelOptions(0, Scenario.Attention.AUTO));
    final List<Tensor> parameters = new ArrayList<>();
    private List<Long> events = new ArrayList<>();

    Bench() {
        allocator.setListener((action, address, bytes, stream, pool) -> {
            if (action == Action.ALLOC) {
                events.add(bytes);
            } else if (action == Action.FREE_REQUESTED) {
                events.add(-bytes);
            }
        });
        Frame frame = runtime.frame();
        runtime.workspaces().useBlas();
        frame.close();
    }

    /** Adds a parameter; one with a gradient is trained. */
    Tensor parameter(DType type, boolean gradient, long... sizes) {
        Frame frame = runtime.frame();
        try {
            Tensor p = runtime.hold(runtime.emptyStrided(type, sizes, Shapes.contiguous(sizes), Category.PARAMETERS));
            runtime.requireGrad(p, gradient);
            if (gradient) {
                runtime.setGrad(p, runtime.emptyLike(p));
            }
            parameters.add(p);
            return p;
        } finally {
            frame.close();
        }
    }

    Optimizer optimizer(Scenario run) {
        events.clear();
        return Optimizers.of(run, runtime, parameters);
    }

    /** What happened since the last call. */
    List<Long> events() {
        List<Long> out = events;
        events = new ArrayList<>();
        return out;
    }

    /** Bytes allocated now, rounded as the allocator does. */
    long allocated() {
        return allocator.statistics().allocatedBytes().current();
    }
}
