package dev.headroom.estimator.runtime;

import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * An eager runtime without data: makes tensors, counts references, hands every allocation to the caching allocator and
 * records what backward passes need. One instance plays one process.
 */
public final class EagerRuntime {
    private static final int STREAM = 0;

    private final CachingAllocator allocator;
    private final DeviceModel device;
    private final KernelOptions options;
    private final EventLog log = new EventLog();
    private final Object2IntOpenHashMap<Attribution> attributionNumbers = new Object2IntOpenHashMap<>();
    private final List<Attribution> attributions = new ArrayList<>();
    private final ArrayDeque<GradNode> dying = new ArrayDeque<>();
    private final PlanCache plans = new PlanCache();
    private final Workspaces workspaces = new Workspaces(this);
    private final AutocastMode autocast = new AutocastMode(this);

    private final Recorder nothing = new NoRecording(this);

    private Frame frame;
    private int attribution;
    private int requester;
    private boolean gradMode = true;
    private boolean backwardThread;
    private final long[] nextSequence = new long[2];
    private SavedTensorHooks hooks;
    private boolean stoppedAtResult;
    private boolean destroying;
    private long maxAllocated = -1;
    private int eventsAtPeak;
    private int eventsAtFailure = -1;
    private long reservedAtPeak;

    public EagerRuntime(CachingAllocator allocator, DeviceModel device, KernelOptions options) {
        this.allocator = allocator;
        this.device = device;
        this.options = options;
        this.attribution = number(new Attribution("", "", ""));
    }

    public CachingAllocator allocator() {
        return allocator;
    }

    public DeviceModel device() {
        return device;
    }

    public KernelOptions options() {
        return options;
    }

    public EventLog log() {
        return log;
    }

    public Workspaces workspaces() {
        return workspaces;
    }

    /** Plans that convolutions run with. */
    public PlanCache plans() {
        return plans;
    }

    public AutocastMode autocast() {
        return autocast;
    }

    // ------------------------------------------------------------------ who

    /** Number of an attribution, for {@link #attribute}. */
    public int number(Attribution a) {
        int n = attributionNumbers.getOrDefault(a, -1);
        if (n < 0) {
            n = attributions.size();
            attributions.add(a);
            attributionNumbers.put(a, n);
        }
        return n;
    }

    public Attribution attribution(int number) {
        return attributions.get(number);
    }

    /** All attributions so far, by number. */
    public List<Attribution> attributions() {
        return List.copyOf(attributions);
    }

    /** Number of a node's attribution: the operator that it was recorded for, and the node itself. */
    int numberOf(GradNode node) {
        Attribution recorded = attributions.get(node.attribution);
        return number(new Attribution(recorded.module(), recorded.operator(), node.name));
    }

    /** Number of the running operator's attribution. */
    public int attribution() {
        return attribution;
    }

    /** Number of the attribution of the last request for memory, also of one that failed. */
    public int requester() {
        return requester;
    }

    /** From now on allocations count as made by this operator. */
    public void attribute(int number) {
        attribution = number;
    }

    // --------------------------------------------------------------- memory

    /** A fresh storage for a tensor of {@code bytes}; nothing is taken for 0 bytes. */
    private Storage allocate(long bytes, Category category, DType dtype, long[] sizes) {
        int block = -1;
        long rounded = 0;
        if (bytes > 0) {
            requester = attribution;
            block = request(bytes);
            rounded = allocator.size(block);
        }
        int id = log.add(bytes, rounded, attribution, category, dtype, sizes, reserved());
        long allocated = allocator.statistics().allocatedBytes().current();
        if (allocated > maxAllocated) {
            maxAllocated = allocated;
            eventsAtPeak = log.size();
            reservedAtPeak = reserved();
        }
        return new Storage(id, bytes, block, category);
    }

    private int request(long bytes) {
        try {
            return allocator.allocate(bytes, STREAM);
        } catch (OutOfMemoryException e) {
            eventsAtFailure = eventsAtFailure < 0 ? log.size() : eventsAtFailure;
            throw e;
        }
    }

    /**
     * Events until a request for memory failed, or -1. What the log has beyond it is the release of what was alive in the
     * functions that the failure ended.
     */
    public int eventsAtFailure() {
        return eventsAtFailure;
    }

    private long reserved() {
        return allocator.statistics().reservedBytes().current();
    }

    /** Events until allocated memory was first at its highest. */
    public int eventsAtPeak() {
        return eventsAtPeak;
    }

    public long maxAllocated() {
        return Math.max(maxAllocated, 0);
    }

    public long reservedAtPeak() {
        return reservedAtPeak;
    }

    /** Changes what a tensor's memory counts as. */
    public void setCategory(Tensor t, Category category) {
        Storage s = t.storage();
        Category before = s.category();
        s.setCategory(category);
        logChange(s, before);
    }

    private void logChange(Storage s, Category before) {
        Category after = s.category();
        if (after != before && s.useCount() > 0) {
            log.category(s.id, after, attribution, reserved());
        }
    }

    // --------------------------------------------------------------- frames

    /** Opens the scope of an operator's local variables. */
    public Frame frame() {
        frame = new Frame(this, frame);
        return frame;
    }

    void leave(Frame f) {
        frame = f.parent();
    }

    private Tensor local(Tensor t) {
        t.incrementRefs();
        frame.add(t);
        return t;
    }

    /** Ends a local variable before its operator ends; {@code null} and tensors of others are left alone. */
    public void free(Tensor t) {
        if (t != null && t.frame == frame) {
            frame.forget(t);
            release(t);
        }
    }

    /** Frees what {@code contiguous()} or {@code to()} gave, unless it gave the tensor itself. */
    public void freeUnless(Tensor t, Tensor same) {
        if (t != same) {
            free(t);
        }
    }

    /** Frees several local variables. */
    public void freeAll(Collection<Tensor> tensors) {
        tensors.forEach(this::free);
    }

    /** Takes a reference that outlives the frame. */
    public Tensor retain(Tensor t) {
        if (t != null) {
            t.incrementRefs();
        }
        return t;
    }

    /** Hands a reference that the caller holds to the running frame. */
    public void adopt(Tensor t) {
        if (t != null) {
            if (t.frame == null) {
                frame.add(t);
            } else {
                t.decrementRefs();
            }
        }
    }

    /** Gives a reference back; the last one frees what only the tensor kept alive. */
    public void release(Tensor t) {
        if (t == null || t.decrementRefs() > 0) {
            return;
        }
        Storage s = t.storage();
        if (s.release()) {
            if (s.block >= 0) {
                allocator.free(s.block);
            }
            log.free(s.id, attribution, reserved());
        }
        Tensor grad = t.grad();
        t.setGradField(null);
        release(grad);
        GradNode node = t.gradNode();
        t.setHistory(null, 0);
        Tensor base = t.base();
        t.setBase(null);
        releaseNode(node);
        release(base);
    }

    // -------------------------------------------------------------- tensors

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
        return local(new Tensor(allocate(bytes, category, dtype, sizes), dtype, sizes, strides, 0));
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

    /** A tensor in host memory: it takes none of the GPU's. */
    public Tensor hostTensor(DType dtype, long... sizes) {
        Tensor t = local(new Tensor(
                new Storage(
                        log.add(0, 0, attribution, Category.TEMPORARIES, dtype, sizes, reserved()),
                        0,
                        -1,
                        Category.TEMPORARIES),
                dtype,
                sizes,
                Shapes.contiguous(sizes),
                0));
        t.setOnDevice(false);
        return t;
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
        t.setBase(retain(base));
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
        Tensor t = local(new Tensor(of.storage(), dtype, sizes, strides, offset));
        t.setOnDevice(of.onDevice());
        return t;
    }

    /** {@code detach()}: no view to autograd. */
    public Tensor detach(Tensor t) {
        return reinterpret(t, t.sizes(), t.strides(), t.offset());
    }

    /** Replaces {@code .grad}. */
    public void setGrad(Tensor variable, Tensor grad) {
        retain(grad);
        Tensor old = variable.grad();
        variable.setGradField(grad);
        release(old);
    }

    /** {@code requires_grad_()} of a leaf. */
    public void requireGrad(Tensor leaf, boolean value) {
        leaf.setLeafRequiresGrad(value);
    }

    // ------------------------------------------------------------- autograd

    public boolean gradMode() {
        return gradMode;
    }

    /** @return the mode before */
    public boolean setGradMode(boolean enabled) {
        boolean before = gradMode;
        gradMode = enabled;
        return before;
    }

    /** Whether autograd's worker thread runs: it has library handles, and so workspaces, of its own. */
    public boolean inBackwardThread() {
        return backwardThread;
    }

    void setBackwardThread(boolean value) {
        backwardThread = value;
    }

    /** Starts recording an operator. The recorder keeps nothing when none of the inputs wants a gradient. */
    public Recorder record(String name, Tensor... inputs) {
        if (!gradMode) {
            return nothing;
        }
        boolean any = false;
        for (Tensor t : inputs) {
            any |= t != null && t.requiresGrad();
        }
        if (!any) {
            return nothing;
        }
        GradNode.Edge[] edges = new GradNode.Edge[inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            edges[i] = edge(inputs[i]);
        }
        return new Recording(this, new GradNode(name, nextSequence(), edges, attribution, null), inputs);
    }

    /** Threads number their nodes on their own (aten/src/ATen/SequenceNumber.cpp). */
    private long nextSequence() {
        return nextSequence[backwardThread ? 1 : 0]++;
    }

    /**
     * From now on saved tensors go through these hooks; {@code null}: nodes keep them.
     *
     * @return the hooks before
     */
    public SavedTensorHooks setHooks(SavedTensorHooks now) {
        SavedTensorHooks before = hooks;
        hooks = now;
        return before;
    }

    /** Where a tensor's gradient goes, with a reference to the node; {@code null}: nowhere. */
    GradNode.Edge edge(Tensor t) {
        if (t == null || !t.requiresGrad()) {
            return null;
        }
        if (t.hasStaleHistory()) {
            ViewHistory.refresh(this, t);
        }
        GradNode node = t.gradNode();
        int input = t.outputNumber();
        if (node == null) {
            node = t.accumulatorField();
            input = 0;
            if (node == null) {
                node = new GradNode("AccumulateGrad", GradNode.FIRST, new GradNode.Edge[0], attribution, t);
                node.inputSizes.add(t.sizes());
                node.inputTypes.add(t.dtype());
                retain(t);
                t.setAccumulator(node);
            }
        }
        node.refs++;
        return new GradNode.Edge(node, input);
    }

    Saved save(GradNode node, Tensor t, boolean isOutput) {
        if (t == null) {
            return Saved.NOTHING;
        }
        if (hooks != null && !t.isWrappedNumber()) {
            return pack(node, t, isOutput);
        }
        // A result is kept through an alias: the node must not keep alive the tensor that keeps the node alive.
        Saved saved = new Saved(hold(isOutput ? alias(t) : t));
        node.saved.add(saved);
        return saved;
    }

    private static Tensor alias(Tensor t) {
        return new Tensor(t.storage(), t.dtype(), t.sizes(), t.strides(), t.offset());
    }

    private Saved pack(GradNode node, Tensor t, boolean isOutput) {
        try {
            Saved saved = new Saved(hooks.pack(t));
            node.saved.add(saved);
            return saved;
        } catch (StopRecomputation e) {
            stoppedAtResult = isOutput;
            if (node.refs == 0) { // its operator never got to make a result that holds it
                node.refs = 1;
                releaseNode(node);
            }
            throw e;
        }
    }

    /** Whether the last recomputation that stopped did so at a result, which an operator saves when it has run. */
    public boolean stoppedAtResult() {
        return stoppedAtResult;
    }

    /** Takes a reference as what a backward pass needs later; {@link #drop} gives it back. */
    private Tensor hold(Tensor t) {
        t.incrementRefs();
        Storage s = t.storage();
        Category before = s.category();
        s.addSaved(1);
        logChange(s, before);
        return t;
    }

    /** An alias without history, held for a backward pass; {@link #drop} gives it back. */
    public Tensor holdDetached(Tensor t) {
        return hold(alias(t));
    }

    /** Gives a reference of {@link #holdDetached} back. */
    public void drop(Tensor t) {
        Category before = t.storage().category();
        t.storage().addSaved(-1);
        if (t.useCount() > 1 || t.storage().useCount() > 1) {
            logChange(t.storage(), before);
        }
        release(t);
    }

    /** A node's apply() fetches all that it saved before it computes anything. */
    void unpackSaved(GradNode node) {
        for (Saved s : node.saved) {
            if (s.packed() != null) {
                s.unpack();
            }
        }
    }

    /** What hooks handed out is a local variable of apply(): it dies with it, before the node's results are checked. */
    void dropUnpacked(GradNode node) {
        for (Saved s : node.saved) {
            if (s.packed() != null) {
                dropTaken(s);
            }
        }
    }

    private void dropTaken(Saved s) {
        Tensor t = s.take();
        if (t != null) {
            drop(t);
        }
    }

    /** A node of the engine's own making. */
    GradNode node(String name, GradNode.Edge... edges) {
        return new GradNode(name, nextSequence(), edges, attribution, null);
    }

    /** Replaces a tensor's history. */
    void setHistory(Tensor t, GradNode node) {
        GradNode old = t.gradNode();
        node.refs++;
        t.setHistory(node, 0);
        releaseNode(old);
    }

    void addOutput(GradNode node, Tensor out, boolean nonDifferentiable) {
        int number = node.inputs();
        node.inputSizes.add(out == null ? new long[0] : out.sizes());
        node.inputTypes.add(out == null ? DType.FLOAT32 : out.dtype());
        if (out == null || nonDifferentiable) {
            return;
        }
        GradNode old = out.gradNode();
        node.refs++;
        out.setHistory(node, number);
        releaseNode(old);
    }

    /** Drops what a node saved, as after it ran. */
    void releaseSaved(GradNode node) {
        for (Saved s : node.saved) {
            dropTaken(s);
            if (s.packed() != null) {
                s.packed().release();
            }
        }
        node.saved.clear();
    }

    void releaseNode(GradNode node) {
        if (node == null || --node.refs > 0) {
            return;
        }
        // Chains are as long as models are deep: a work list instead of recursion (torch/csrc/autograd/function.cpp,
        // deleteNode).
        dying.add(node);
        if (destroying) {
            return;
        }
        destroying = true;
        while (!dying.isEmpty()) {
            GradNode dead = dying.poll();
            releaseSaved(dead);
            dead.backward = null;
            for (GradNode.Edge e : dead.edges) {
                if (e != null) {
                    releaseNode(e.node());
                }
            }
            if (dead.variable != null) {
                dead.variable.setAccumulator(null);
                release(dead.variable);
            }
        }
        destroying = false;
    }
}
