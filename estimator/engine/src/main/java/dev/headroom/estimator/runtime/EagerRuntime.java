package dev.headroom.estimator.runtime;

import dev.headroom.allocator.CachingAllocator;
import dev.headroom.estimator.host.HostThreads;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.Attributions;
import dev.headroom.estimator.log.Category;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.nullness.Contract;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An eager runtime without data: makes tensors, counts references, hands every allocation to the caching allocator and
 * records what backward passes need. One instance plays one process, which may have several GPUs.
 */
public final class EagerRuntime {
    private final DeviceModel device;
    private final KernelOptions options;
    private final Attributions attributions = new Attributions();
    private final Streams streams;
    private final Devices devices;
    private final HostThreads threads;
    private final Tape tape;
    private final Workspaces workspaces;
    private final AutocastMode autocast = new AutocastMode(this);
    private final ModuleHooks modules = new ModuleHooks();
    private final Frame outermost = new Frame(this, null);
    private @Nullable Frame frame;

    /** A process with one GPU. */
    public EagerRuntime(CachingAllocator allocator, DeviceModel device, KernelOptions options) {
        this(List.of(allocator), device, options);
    }

    /** @param allocators one a GPU, all of which are alike */
    public EagerRuntime(List<CachingAllocator> allocators, DeviceModel device, KernelOptions options) {
        this.device = device;
        this.options = options;
        this.streams = new Streams(allocators);
        this.devices = new Devices(allocators, attributions, streams);
        this.threads = new HostThreads(allocators.size());
        this.workspaces = new Workspaces(this, allocators.size());
        this.tape = new Tape(this, threads);
    }

    /** Of the current device. */
    public CachingAllocator allocator() {
        return devices.memory().allocator();
    }

    public DeviceModel device() {
        return device;
    }

    public KernelOptions options() {
        return options;
    }

    /** The GPUs, and which of them is the current one. */
    public Devices devices() {
        return devices;
    }

    /** The threads, and which of them works. */
    public HostThreads threads() {
        return threads;
    }

    public Workspaces workspaces() {
        return workspaces;
    }

    /** CUDA streams, and which of them is the current one. */
    public Streams streams() {
        return streams;
    }

    /** What is called where modules begin and end. */
    public ModuleHooks modules() {
        return modules;
    }

    public AutocastMode autocast() {
        return autocast;
    }

    /** Number of an attribution, for {@link #attribute}. */
    public int number(Attribution a) {
        return attributions.number(a);
    }

    public Attribution attribution(int number) {
        return attributions.get(number);
    }

    /** All attributions so far, by number. */
    public List<Attribution> attributions() {
        return attributions.all();
    }

    /** Number of the running operator's attribution. */
    public int attribution() {
        return attributions.running();
    }

    /** From now on allocations count as made by this operator. */
    public void attribute(int number) {
        attributions.run(number);
    }

    /** From now on allocations count as made by a node, on behalf of the operator that it was recorded for. */
    void attribute(GradNode node) {
        attribute(attributions.number(node.attribution, node.name));
    }

    /** Changes what a tensor's memory counts as. */
    public void setCategory(Tensor t, Category category) {
        Storage s = t.storage();
        Category before = s.category();
        s.setCategory(category);
        s.home.changed(s, before);
    }

    /** Opens the scope of an operator's local variables. */
    public Frame frame() {
        frame = frame == null ? outermost.entered() : frame.inner();
        return frame;
    }

    private Frame running() {
        return Objects.requireNonNull(frame, "the frame of an operator");
    }

    void leave(Frame f) {
        frame = f.parent();
    }

    private Tensor local(Tensor t) {
        t.incrementRefs();
        running().add(t);
        return t;
    }

    /** Ends a local variable before its operator ends; {@code null} and tensors of others are left alone. */
    public void free(@Nullable Tensor t) {
        if (t != null && t.frame == frame) {
            running().forget(t);
            release(t);
        }
    }

    /** Frees what {@code contiguous()} or {@code to()} gave, unless it gave the tensor itself. */
    public void freeUnless(@Nullable Tensor t, @Nullable Tensor same) {
        if (t != same) {
            free(t);
        }
    }

    /** Frees several local variables. */
    public void freeAll(Collection<Tensor> tensors) {
        tensors.forEach(this::free);
    }

    /** Takes a reference that outlives the frame; {@code null} is let through. */
    @Contract("!null -> !null")
    public @Nullable Tensor hold(@Nullable Tensor t) {
        if (t != null) {
            t.incrementRefs();
        }
        return t;
    }

    /** Hands a reference that the caller holds to the running frame. */
    public void adopt(@Nullable Tensor t) {
        if (t != null) {
            if (t.frame == null) {
                running().add(t);
            } else {
                t.decrementRefs();
            }
        }
    }

    /** Gives a reference back; the last one frees what only the tensor kept alive. */
    public void release(@Nullable Tensor t) {
        if (t == null || t.decrementRefs() > 0) {
            return;
        }
        GradNode node = t.gradNode();
        t.setHistory(null, 0);
        tape.release(node);
        Tensor grad = t.grad();
        t.setGradField(null);
        release(grad);
        Storage s = t.storage();
        if (s.release()) {
            s.home.free(s);
        }
        release(t.takeIndices());
        Tensor[] items = t.takeItems();
        for (int i = items.length - 1; i >= 0; i--) { // as CPython's list_dealloc does
            release(items[i]);
        }
        release(t.takeBase());
    }

    /** A fresh tensor, row-major. */
    public Tensor empty(DType dtype, long... sizes) {
        return emptyStrided(dtype, sizes, Shapes.contiguous(sizes));
    }

    /** A fresh tensor with the given dense strides. */
    public Tensor emptyStrided(DType dtype, long[] sizes, long[] strides) {
        return emptyStrided(dtype, sizes, strides, Category.TEMPORARIES);
    }

    /** A fresh tensor that counts as something from the start. */
    public Tensor emptyStrided(DType dtype, long[] sizes, long[] strides, Category category) {
        long bytes = Math.multiplyExact(Shapes.numel(sizes), (long) dtype.bytes());
        return local(new Tensor(devices.memory().allocate(bytes, category, dtype, sizes), dtype, sizes, strides, 0));
    }

    /** Scratch of a kernel: a flat byte tensor. */
    public Tensor scratch(long bytes) {
        return empty(DType.INT8, bytes);
    }

    /** Scratch that counts as a workspace. */
    public Tensor workspace(long bytes) {
        return emptyStrided(DType.INT8, new long[] {bytes}, new long[] {1}, Category.WORKSPACES);
    }

    /** {@code empty_like} with {@code torch.preserve_format}. */
    public Tensor emptyLike(Tensor t) {
        return emptyLike(t, t.dtype());
    }

    public Tensor emptyLike(Tensor t, DType dtype) {
        return emptyStrided(dtype, t.sizes(), Shapes.preserved(t.sizes(), t.strides()));
    }

    /** A tensor whose storage has no memory yet: {@link #resizeStorage} gives it. */
    public Tensor unbacked(DType dtype, long[] sizes, long[] strides, Category category) {
        return local(new Tensor(devices.memory().unbacked(category), dtype, sizes, strides, 0));
    }

    /**
     * {@code t.untyped_storage().resize_(bytes)}: all tensors over the storage lose their memory, or have memory again.
     *
     * @param bytes 0 for none
     */
    public void resizeStorage(Tensor t, long bytes) {
        t.storage().home.resize(t.storage(), bytes, t.dtype(), t.sizes());
    }

    /** A tensor in host memory: it takes none of the GPU's. */
    public Tensor hostTensor(DType dtype, long... sizes) {
        return local(new Tensor(devices.memory().onHost(dtype, sizes), dtype, sizes, Shapes.contiguous(sizes), 0));
    }

    /** A Python number. */
    public Tensor wrappedNumber(DType dtype) {
        Tensor t = hostTensor(dtype);
        t.setWrappedNumber();
        return t;
    }

    /**
     * A view as autograd tracks it, without history: it keeps the tensor that it was taken of alive, so that the
     * storage never looks unshared (torch/csrc/autograd/variable.h, ViewInfo).
     */
    public Tensor view(Tensor of, long[] sizes, long[] strides, long offset) {
        Tensor t = reinterpret(of, sizes, strides, offset);
        Tensor base = of.base() == null ? of : of.base();
        t.setBase(hold(base));
        t.historyVersion = t.storage().version;
        return t;
    }

    /** Memory is written to: views of it get their histories anew when they are used next. */
    public void noteChange(Tensor t) {
        t.storage().version++;
    }

    /** Another tensor over the same storage, as a kernel makes it below autograd. */
    public Tensor reinterpret(Tensor of, long[] sizes, long[] strides, long offset) {
        return reinterpret(of, of.dtype(), sizes, strides, offset);
    }

    /** Another tensor over the same storage, its bytes read as another type. */
    public Tensor reinterpret(Tensor of, DType dtype, long[] sizes, long[] strides, long offset) {
        return local(new Tensor(of.storage(), dtype, sizes, strides, offset));
    }

    /** {@code detach()}: no view to autograd. */
    public Tensor detach(Tensor t) {
        return reinterpret(t, t.sizes(), t.strides(), t.offset());
    }

    /** Replaces {@code .grad}. */
    public void setGrad(Tensor variable, @Nullable Tensor grad) {
        hold(grad);
        Tensor old = variable.grad();
        variable.setGradField(grad);
        release(old);
    }

    /**
     * {@code t.data = data}, with a part of {@code data} of the same sizes: the tensor stays who it is, and its memory
     * is another, be it on another device.
     */
    public void setData(Tensor t, Tensor data, long[] strides, long offset) {
        Storage before = t.storage();
        t.setMemory(data.storage(), data.dtype(), strides, offset);
        if (before.release()) {
            before.home.free(before);
        }
    }

    /** {@code requires_grad_()} of a leaf. */
    public void requireGrad(Tensor leaf, boolean value) {
        leaf.setLeafRequiresGrad(value);
    }

    /** Autograd's record of what ran. */
    public Tape tape() {
        return tape;
    }

    /** Whether operators that are called now are recorded: {@code torch.is_grad_enabled()}. */
    public boolean gradMode() {
        return tape.enabled();
    }

    /** @return the mode before */
    public boolean setGradMode(boolean enabled) {
        return tape.setEnabled(enabled);
    }

    /** Starts recording an operator. The recorder keeps nothing when none of the inputs wants a gradient. */
    public Recorder record(String name, @Nullable Tensor... inputs) {
        return tape.record(name, inputs);
    }
}
