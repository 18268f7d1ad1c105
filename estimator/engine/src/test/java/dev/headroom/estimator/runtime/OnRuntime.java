package dev.headroom.estimator.runtime;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.op.EngineArithmetic;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** A runtime and operators made up for tests; tensors are one KiB and locals of one frame. */
public abstract class OnRuntime {
    protected static final long KIB = 1024;

    protected EagerRuntime rt;
    protected AutogradEngine engine;
    protected final List<String> ran = new ArrayList<>();

    @BeforeEach
    protected void start() {
        rt = new EagerRuntime(
                new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 30)),
                new DeviceModel(9, 0, 132),
                new KernelOptions(0, Scenario.Attention.AUTO));
        engine = new AutogradEngine(rt, new EngineArithmetic());
        rt.frame();
    }

    protected long allocated() {
        return rt.allocator().statistics().allocatedBytes().current();
    }

    protected Tensor kib() {
        return rt.empty(DType.FLOAT32, 256);
    }

    protected Tensor leaf() {
        Tensor t = kib();
        rt.requireGrad(t, true);
        return t;
    }

    protected Tensor op(String name, Tensor... inputs) {
        Recorder r = rt.record(name, inputs);
        Saved kept = r.save(inputs[0]);
        Tensor out = kib();
        r.gradients(grads -> {
            ran.add(name);
            kept.get();
            Tensor[] made = new Tensor[inputs.length];
            for (int i = 0; i < made.length; i++) {
                made[i] = kib();
            }
            return made;
        });
        return r.output(out);
    }

    /** An operator whose gradient is what its caller makes of the gradient that it is given. */
    protected Tensor withGradient(Tensor input, Tensor out, Recorder.InputGradient gradient) {
        return rt.record("Op", input).gradient(0, gradient).output(out);
    }

    protected void backward(Tensor root) {
        try (Frame f = rt.frame()) {
            engine.backward(root, rt.emptyLike(root));
        }
    }

    protected long storages() {
        return rt.devices().memory(0).log().storages();
    }
}
