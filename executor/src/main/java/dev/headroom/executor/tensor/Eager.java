package dev.headroom.executor.tensor;

import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensorHooks;
import dev.headroom.executor.autograd.Tape;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.model.graph.DType;
import java.util.function.Supplier;

/**
 * The eager runtime: makes tensors in the device's memory through the caching allocator, counts references, and gives
 * operators their kernels and autograd its tape. One process on one device; not safe for use by several threads.
 */
public final class Eager implements AutoCloseable {
    private static final int STREAM = 0;

    private final CachingAllocator allocator;
    private final Backend backend;
    private final Settings settings;
    private final MemoryLog log = new MemoryLog();
    private final Tape tape = new Tape(this);
    private final AutocastState autocast = new AutocastState(this);
    private final BlasWorkspaces blasWorkspaces = new BlasWorkspaces(this);
    private final Randomness randomness;

    private Scope scope;
    private Owner owner = new Owner("", "");
    private Owner requester = owner;

    /** @param allocator over the backend's memory */
    public Eager(CachingAllocator allocator, Backend backend, Settings settings) {
        this.allocator = allocator;
        this.backend = backend;
        this.settings = settings;
        this.randomness = new Randomness(settings.seed());
    }

    public CachingAllocator allocator() {
        return allocator;
    }

    /** Where kernels run. */
    public Backend backend() {
        return backend;
    }

    public Settings settings() {
        return settings;
    }

    public MemoryLog log() {
        return log;
    }

    public Tape tape() {
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

    /** From now on memory is taken for this owner. */
    public void own(Owner next) {
        owner = next;
    }

    public Owner owner() {
        return owner;
    }

    /** For whom memory was last asked, or refused. */
    public Owner requester() {
        return requester;
    }

    /**
     * Lets go of what the runtime itself keeps, and gives cached memory back to the device. What tensors still hold stays
     * theirs: a run that ended, however it ended, has none.
     */
    @Override
    public void close() {
        blasWorkspaces.close();
        allocator.emptyCache();
    }

    /** Opens the scope of an operator's local variables. */
    public Scope open() {
        scope = new Scope(this, scope);
        return scope;
    }

    void leave(Scope closing) {
        scope = closing.outer();
    }

    /** Runs a function with locals of its own; its result becomes a local of the running scope. */
    public Tensor call(Supplier<Tensor> function) {
        try (Scope s = open()) {
            return s.pass(function.get());
        }
    }

    /** Ends a local of the running scope early; {@code null} and tensors of others are left alone. */
    public void drop(Tensor t) {
        if (t != null && t.scope != null && t.scope == scope) {
            scope.forget(t);
            release(t);
        }
    }

    /** Ends a local unless it is the other tensor, as what {@code contiguous()} gave may be. */
    public void dropUnless(Tensor t, Tensor other) {
        if (t != other) {
            drop(t);
        }
    }

    /** Takes a reference; {@code null} is let through. */
    public Tensor hold(Tensor t) {
        if (t != null) {
            t.references++;
        }
        return t;
    }

    /** Turns a reference that the caller holds into a local of the running scope. */
    public Tensor adopt(Tensor t) {
        if (t != null) {
            if (t.scope == null) {
                scope.add(t);
            } else {
                t.references--; // some scope has a reference already
            }
        }
        return t;
    }

    /** Gives a reference back. The last one ends the tensor, and all that only it kept alive. */
    public void release(Tensor t) {
        if (t == null) {
            return;
        }
        if (t.references == 0) {
            throw new IllegalStateException("a tensor is released more often than it was held");
        }
        if (--t.references > 0) {
            return;
        }
        Storage storage = t.storage();
        if (storage.leave() && storage.block != Storage.NO_BLOCK) {
            allocator.free(storage.block);
            storage.freed(log);
        }
        Tensor grad = t.grad();
        t.setGrad(null);
        release(grad);
        tape.forget(t);
        Tensor base = t.base;
        t.base = null;
        release(base);
    }

    /** Replaces {@code .grad}. */
    public void setGrad(Tensor variable, Tensor grad) {
        Tensor before = variable.grad();
        variable.setGrad(hold(grad));
        release(before);
    }

    /** A fresh row-major tensor, not initialised. */
    public Tensor empty(DType dtype, long... sizes) {
        return emptyStrided(dtype, sizes, Layout.contiguous(sizes));
    }

    /** A fresh tensor of another's shape and layout. */
    public Tensor emptyLike(Tensor t) {
        return emptyLike(t, t.dtype());
    }

    /** A fresh tensor of another's shape and layout. */
    public Tensor emptyLike(Tensor t, DType dtype) {
        return emptyStrided(dtype, t.sizes(), Layout.preserved(t.sizes(), t.strides()));
    }

    /**
     * A fresh tensor, not initialised.
     *
     * @param strides packed ones
     */
    public Tensor emptyStrided(DType dtype, long[] sizes, long[] strides) {
        long bytes = Math.multiplyExact(Layout.elements(sizes), (long) dtype.bytes());
        return local(new Tensor(allocate(bytes), dtype, sizes.clone(), strides.clone(), 0));
    }

    /** Bytes for a kernel or a library to work in. */
    public Tensor workspace(long bytes) {
        Owner before = owner;
        owner = before.workspace();
        try {
            return empty(DType.UINT8, bytes);
        } finally {
            owner = before;
        }
    }

    private Storage allocate(long bytes) {
        if (bytes == 0) {
            return new Storage();
        }
        requester = owner;
        int block = allocator.allocate(bytes, STREAM);
        return new Storage(bytes, block, allocator.address(block), allocator.size(block), log, owner);
    }

    private Tensor local(Tensor t) {
        t.references++;
        scope.add(t);
        return t;
    }

    /**
     * A view as autograd knows it: it keeps the tensor that it is a view of alive
     * (torch/csrc/autograd/variable.h, DifferentiableViewMeta). Its history is for the caller to record.
     *
     * @param offset of the first element in the storage
     */
    public Tensor view(Tensor of, long[] sizes, long[] strides, long offset) {
        Tensor t = alias(of, sizes, strides, offset);
        t.base = hold(of.base == null ? of : of.base);
        return t;
    }

    /** Another tensor over the same storage that autograd knows nothing of, as kernels make it. */
    public Tensor alias(Tensor of, long[] sizes, long[] strides, long offset) {
        return local(new Tensor(of.storage(), of.dtype(), sizes.clone(), strides.clone(), offset));
    }

    /** {@code detach()}. */
    public Tensor detach(Tensor of) {
        return alias(of, of.sizes(), of.strides(), of.offset());
    }

    /**
     * Starts to record an operator for the backward pass. When none of the inputs requires a gradient, or gradients are
     * switched off, the recorder keeps nothing.
     *
     * @param node such as {@code ReluBackward0}
     * @param inputs what gradients can go to, in the order in which the backward function returns them
     */
    public Recorder record(String node, Tensor... inputs) {
        return tape.record(node, inputs);
    }

    /**
     * From now on saved tensors go through these hooks; {@code null}: nodes hold them.
     *
     * @return the hooks before
     */
    public SavedTensorHooks setHooks(SavedTensorHooks hooks) {
        return tape.setHooks(hooks);
    }
}
