package dev.headroom.executor.tensor;

import dev.headroom.allocator.CachingAllocator;
import dev.headroom.model.graph.DType;
import dev.headroom.model.nullness.Contract;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes tensors in the device's memory through the caching allocator, counts references to them, and ends local
 * variables with their scopes. What autograd knows of a tensor ends through {@link TensorHistory}. Not safe for use
 * by several threads.
 */
public abstract class TensorMemory {
    private final CachingAllocator allocator;
    private final MemoryLog log = new MemoryLog();

    private @Nullable Scope scope;
    private Owner owner = new Owner("", "");
    private Owner requester = owner;

    /** The stream that kernels run on; blocks belong to the one that they were taken for. */
    private int stream;

    /** @param allocator over the device's memory */
    protected TensorMemory(CachingAllocator allocator) {
        this.allocator = allocator;
    }

    /** Who is told when scopes and tensors end. */
    protected abstract TensorHistory history();

    public final CachingAllocator allocator() {
        return allocator;
    }

    /** Who holds how much. */
    public final MemoryLog log() {
        return log;
    }

    /** From now on memory is taken for this owner. */
    public final void own(Owner next) {
        owner = next;
    }

    public final Owner owner() {
        return owner;
    }

    /** For whom memory was last asked, or refused. */
    public final Owner requester() {
        return requester;
    }

    /** Opens the scope of an operator's local variables. */
    public final Scope open() {
        Scope opened = new Scope(this, scope);
        scope = opened;
        return opened;
    }

    final void leave(Scope closing) {
        scope = closing.outer();
    }

    /** Runs a function with locals of its own; its result becomes a local of the running scope. */
    public final Tensor call(Supplier<Tensor> function) {
        try (Scope s = open()) {
            return s.pass(function.get());
        }
    }

    /** Ends a local of the running scope early; {@code null} and tensors of others are left alone. */
    public final void free(@Nullable Tensor t) {
        if (t != null && t.scope != null && t.scope == scope) {
            scope.forget(t);
            release(t);
        }
    }

    /** Ends a local unless it is the other tensor, as what {@code contiguous()} gave may be. */
    public final void freeUnless(@Nullable Tensor t, @Nullable Tensor other) {
        if (t != other) {
            free(t);
        }
    }

    /** Takes a reference; {@code null} is let through. */
    @Contract("!null -> !null")
    public final @Nullable Tensor hold(@Nullable Tensor t) {
        if (t != null) {
            t.references++;
        }
        return t;
    }

    /** Turns a reference that the caller holds into a local of the running scope. */
    @Contract("!null -> !null")
    public final @Nullable Tensor adopt(@Nullable Tensor t) {
        if (t != null) {
            if (t.scope == null) {
                running().add(t);
            } else {
                t.references--; // some scope has a reference already
            }
        }
        return t;
    }

    /** Gives a reference back. The last one ends the tensor, and all that only it kept alive. */
    public final void release(@Nullable Tensor t) {
        if (t == null) {
            return;
        }
        if (t.references == 0) {
            throw new IllegalStateException("a tensor is released more often than it was held");
        }
        if (--t.references > 0) {
            return;
        }
        history().forget(t);
        Tensor grad = t.grad();
        t.setGrad(null);
        release(grad);
        Storage storage = t.storage();
        if (storage.leave()) {
            free(storage);
        }
        Tensor rows = t.rows;
        t.rows = null;
        release(rows);
        Tensor base = t.base;
        t.base = null;
        release(base);
    }

    /** Replaces {@code .grad}. */
    public final void setGrad(Tensor variable, @Nullable Tensor grad) {
        Tensor before = variable.grad();
        variable.setGrad(hold(grad));
        release(before);
    }

    /** {@code t.data = data}, of the same sizes and strides: the tensor stays who it is, and its memory is another. */
    public final void setData(Tensor t, Tensor data) {
        Storage before = t.storage();
        data.storage().share();
        t.setMemory(data.storage(), data.dtype());
        if (before.leave()) {
            free(before);
        }
    }

    /** A fresh row-major tensor, not initialised. */
    public final Tensor empty(DType dtype, long... sizes) {
        return emptyStrided(dtype, sizes, Layout.contiguous(sizes));
    }

    /** A fresh tensor of another's shape and layout. */
    public final Tensor emptyLike(Tensor t) {
        return emptyLike(t, t.dtype());
    }

    /** A fresh tensor of another's shape and layout. */
    public final Tensor emptyLike(Tensor t, DType dtype) {
        return emptyStrided(dtype, t.sizes(), Layout.preserved(t.sizes(), t.strides()));
    }

    /**
     * A fresh tensor, not initialised.
     *
     * @param strides packed ones
     */
    public final Tensor emptyStrided(DType dtype, long[] sizes, long[] strides) {
        long bytes = Math.multiplyExact(Layout.elements(sizes), (long) dtype.bytes());
        return local(new Tensor(allocate(bytes), dtype, sizes.clone(), strides.clone(), 0));
    }

    /** Bytes for a kernel or a library to work in. */
    public final Tensor workspace(long bytes) {
        Owner before = owner;
        owner = before.workspace();
        try {
            return empty(DType.UINT8, bytes);
        } finally {
            owner = before;
        }
    }

    /**
     * Lets a library work in a workspace, which is given back however the work ends.
     *
     * @param work is handed {@code null} for 0 bytes
     */
    public final void withWorkspace(long bytes, Consumer<@Nullable Tensor> work) {
        Tensor workspace = bytes == 0 ? null : workspace(bytes);
        try {
            work.accept(workspace);
        } finally {
            free(workspace);
        }
    }

    private Storage allocate(long bytes) {
        Storage storage = new Storage(bytes);
        fill(storage);
        return storage;
    }

    private void fill(Storage storage) {
        if (storage.bytes() == 0 || storage.hasMemory()) {
            return;
        }
        requester = owner;
        int block = allocator.allocate(storage.bytes(), stream);
        storage.take(block, allocator.address(block), allocator.size(block), log, owner);
    }

    private void free(Storage storage) {
        if (storage.hasMemory()) {
            allocator.free(storage.block());
            storage.freed(log);
        }
    }

    /**
     * Work and memory belong to a stream from now on ({@code torch.cuda.stream}); 0 is the default one.
     *
     * @return the stream before
     */
    public final int setStream(int now) {
        int before = stream;
        stream = now;
        return before;
    }

    /** Work on another stream uses a tensor's memory ({@code record_stream}). */
    public final void recordStream(Tensor t, int used) {
        if (t.storage().hasMemory()) {
            allocator.recordStream(t.storage().block(), used);
        }
    }

    /** A row-major tensor without memory, for {@link #takeStorage} to take. */
    public final Tensor unallocated(DType dtype, long... sizes) {
        return unallocated(dtype, sizes, Layout.contiguous(sizes));
    }

    /**
     * The same with another layout.
     *
     * @param strides packed ones
     */
    public final Tensor unallocated(DType dtype, long[] sizes, long[] strides) {
        long bytes = Math.multiplyExact(Layout.elements(sizes), (long) dtype.bytes());
        return local(new Tensor(new Storage(bytes), dtype, sizes.clone(), strides.clone(), 0));
    }

    /** Takes memory for a tensor's storage, unless it has some ({@code untyped_storage().resize_(size)}). */
    public final void takeStorage(Tensor t) {
        fill(t.storage());
    }

    /** Gives the memory of a tensor's storage back; the tensor stays ({@code untyped_storage().resize_(0)}). */
    public final void giveStorage(Tensor t) {
        free(t.storage());
    }

    private Tensor local(Tensor t) {
        t.references++;
        running().add(t);
        return t;
    }

    private Scope running() {
        return Objects.requireNonNull(scope, "a scope");
    }

    /**
     * A view as autograd knows it: it keeps the tensor that it is a view of alive
     * (torch/csrc/autograd/variable.h, DifferentiableViewMeta). Its history is for the caller to record.
     *
     * @param offset of the first element in the storage
     */
    public final Tensor view(Tensor of, long[] sizes, long[] strides, long offset) {
        Tensor t = alias(of, sizes, strides, offset);
        t.base = hold(of.base == null ? of : of.base);
        return t;
    }

    /** Another tensor over the same storage that autograd knows nothing of, as kernels make it. */
    public final Tensor alias(Tensor of, long[] sizes, long[] strides, long offset) {
        return local(new Tensor(of.storage(), of.dtype(), sizes.clone(), strides.clone(), offset));
    }

    /** A {@link #view} that takes the memory for elements of another type, as that of complex numbers' parts. */
    public final Tensor view(Tensor of, DType type, long[] sizes, long[] strides, long offset) {
        Tensor t = alias(of, type, sizes, strides, offset);
        t.base = hold(of.base == null ? of : of.base);
        return t;
    }

    /** An {@link #alias} that takes the memory for elements of another type. */
    public final Tensor alias(Tensor of, DType type, long[] sizes, long[] strides, long offset) {
        return local(new Tensor(of.storage(), type, sizes.clone(), strides.clone(), offset));
    }

    /**
     * One of the two parts of complex numbers, an alias.
     *
     * @param part 0 for the real one, 1 for the imaginary one
     */
    public final Tensor part(Tensor complex, int part) {
        long[] strides = Arrays.stream(complex.strides()).map(s -> 2 * s).toArray();
        return alias(complex, complex.dtype().ofParts(), complex.sizes(), strides, 2 * complex.offset() + part);
    }

    /** Makes a tensor the values of a sparse gradient, of which it keeps the rows alive; returns it. */
    public final Tensor sparse(Tensor values, Tensor rows) {
        values.rows = hold(rows);
        return values;
    }

    /** {@code detach()}. */
    public final Tensor detach(Tensor of) {
        return alias(of, of.sizes(), of.strides(), of.offset());
    }
}
