package dev.headroom.executor.runtime;

import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensorHooks;
import dev.headroom.executor.autograd.Tape;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.tensor.Randomness;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.tensor.TensorHistory;
import dev.headroom.executor.tensor.TensorMemory;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The eager runtime: makes tensors in the device's memory through the caching allocator, counts references, and gives
 * operators their kernels and autograd its tape. One process on one device; not safe for use by several threads.
 */
public final class Eager extends TensorMemory implements AutoCloseable {
    private final Backend backend;
    private final Settings settings;
    private final Tape tape;
    private final AutocastState autocast = new AutocastState(this);
    private final BlasWorkspaces blasWorkspaces = new BlasWorkspaces(this);
    private final Randomness randomness;
    private final Map<Class<?>, Tensor> kept = new HashMap<>();

    /** @param allocator over the backend's memory */
    public Eager(CachingAllocator allocator, Backend backend, Settings settings) {
        super(allocator);
        this.backend = backend;
        this.settings = settings;
        this.tape = new Tape(this, backend.elementwise());
        this.randomness = new Randomness(settings.seed());
    }

    /** Where kernels run. */
    public Backend backend() {
        return backend;
    }

    public Settings settings() {
        return settings;
    }

    public Tape tape() {
        return tape;
    }

    @Override
    protected TensorHistory history() {
        return tape;
    }

    public AutocastState autocast() {
        return autocast;
    }

    /** Workspaces of matrix products. */
    public BlasWorkspaces blasWorkspaces() {
        return blasWorkspaces;
    }

    public Randomness randomness() {
        return randomness;
    }

    /**
     * Memory that a library takes at its first use and keeps.
     *
     * @param who keeps it
     * @param made with a reference for the running scope
     */
    public Tensor keptOnce(Class<?> who, Supplier<Tensor> made) {
        Tensor there = kept.get(who);
        if (there == null) {
            there = hold(made.get());
            kept.put(who, there);
        }
        return there;
    }

    /**
     * Lets go of what the runtime itself keeps, and gives cached memory back to the device. What tensors still hold
     * stays theirs: a run that ended, however it ended, has none.
     */
    @Override
    public void close() {
        blasWorkspaces.close();
        kept.values().forEach(this::release);
        kept.clear();
        allocator().emptyCache();
    }

    /**
     * Starts to record an operator for the backward pass. When none of the inputs requires a gradient, or gradients are
     * switched off, the recorder keeps nothing.
     *
     * @param node such as {@code ReluBackward0}
     * @param inputs what gradients can go to, in the order in which the backward function returns them
     */
    public Recorder record(String node, @Nullable Tensor... inputs) {
        return tape.record(node, inputs);
    }

    /**
     * From now on saved tensors go through these hooks; {@code null}: nodes hold them.
     *
     * @return the hooks before
     */
    public @Nullable SavedTensorHooks setHooks(@Nullable SavedTensorHooks hooks) {
        return tape.setHooks(hooks);
    }
}
