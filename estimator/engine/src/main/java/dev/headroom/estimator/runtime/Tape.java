package dev.headroom.estimator.runtime;

import dev.headroom.estimator.host.HostThreads;
import dev.headroom.estimator.log.Category;
import dev.headroom.model.graph.DType;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What autograd knows of a thread: whether it records, the nodes of operators that ran and the tensors that these save.
 * Nodes are counted like tensors and die with their last reference.
 */
public final class Tape {
    private final EagerRuntime runtime;
    private final HostThreads threads;
    private final Recorder nothing;
    private final ArrayDeque<GradNode> dying = new ArrayDeque<>();
    private boolean enabled = true;
    private @Nullable SavedTensorHooks hooks;
    private boolean stoppedAtResult;
    private boolean destroying;
    private GraphTask.Turn running = GraphTask.Turn.NOBODYS;

    Tape(EagerRuntime runtime, HostThreads threads) {
        this.runtime = runtime;
        this.threads = threads;
        this.nothing = new Recording.None(runtime);
    }

    /** {@code torch.is_grad_enabled()}. */
    public boolean enabled() {
        return enabled;
    }

    /** {@code torch.set_grad_enabled}: gives the mode before. */
    public boolean setEnabled(boolean value) {
        boolean before = enabled;
        enabled = value;
        return before;
    }

    /** Whether autograd's worker thread runs: it has library handles, and so workspaces, of its own. */
    public boolean inBackwardThread() {
        return threads.current().isBackward();
    }

    /**
     * From now on saved tensors go through these hooks; {@code null}: nodes keep them.
     *
     * @return the hooks before
     */
    public @Nullable SavedTensorHooks setHooks(@Nullable SavedTensorHooks now) {
        SavedTensorHooks before = hooks;
        hooks = now;
        return before;
    }

    // ------------------------------------------------------------ recording

    Recorder record(String name, @Nullable Tensor... inputs) {
        if (!enabled) {
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
        return new Recording(this, runtime, node(name, edges), inputs);
    }

    /** A node with a number of its own. */
    GradNode node(String name, GradNode.Edge... edges) {
        return new GradNode(
                name,
                threads.current().nextSequence(),
                edges,
                runtime,
                runtime.devices().current(),
                null);
    }

    /** Where a tensor's gradient goes, with a reference to the node; {@code null}: nowhere. */
    GradNode.@Nullable Edge edge(@Nullable Tensor t) {
        if (t == null || !t.requiresGrad()) {
            return null;
        }
        if (t.hasStaleHistory()) {
            ViewHistory.refresh(runtime, t);
        }
        GradNode node = t.gradNode();
        int input = t.outputNumber();
        if (node == null) {
            node = accumulator(t);
            input = 0;
        }
        node.refs++;
        return new GradNode.Edge(node, input);
    }

    /** The node that adds to a leaf's {@code .grad}; it keeps the leaf alive. */
    private GradNode accumulator(Tensor leaf) {
        GradNode node = leaf.accumulatorField();
        if (node == null) {
            int device = runtime.devices().of(leaf);
            node = new GradNode("AccumulateGrad", GradNode.FIRST, new GradNode.Edge[0], runtime, device, leaf);
            node.addInput(leaf.gradientSizes(), leaf.dtype());
            if (leaf.distribution() != null) {
                node.setWrapped(0);
            }
            runtime.hold(leaf);
            leaf.setAccumulator(node);
        }
        return node;
    }

    /**
     * {@code Tensor.register_hook}: called with the whole gradient of a tensor that requires one, in every backward
     * pass for a leaf, else in the one through the node that made the tensor.
     */
    public AutogradHooks.Handle addHook(Tensor t, AutogradHooks.OfTensor hook) {
        if (!t.requiresGrad()) {
            throw new IllegalArgumentException("a hook on a tensor that requires no gradient");
        }
        if (t.hasStaleHistory()) {
            ViewHistory.refresh(runtime, t);
        }
        GradNode node = t.gradNode();
        return node == null
                ? leafHooks(t).addTensorHook(0, hook)
                : node.makeHooks().addTensorHook(t.outputNumber(), hook);
    }

    /** {@code Tensor.register_post_accumulate_grad_hook} of a leaf. */
    public AutogradHooks.Handle addPostAccumulateHook(Tensor leaf, AutogradHooks.AfterAccumulate hook) {
        if (!leaf.isLeaf()) {
            throw new IllegalArgumentException("no gradient is accumulated for a tensor that is no leaf");
        }
        return leafHooks(leaf).addAccumulated(hook);
    }

    /** A hook of whichever node adds to a leaf's gradient: nodes with hooks keep what they are given. */
    public AutogradHooks.Handle addAccumulatorHook(Tensor leaf, AutogradHooks.AfterAccumulate hook) {
        return leafHooks(leaf).addAfterAccumulator(hook);
    }

    private static NodeHooks leafHooks(Tensor leaf) {
        if (leaf.leafHooks == null) {
            leaf.leafHooks = new NodeHooks();
        }
        return leaf.leafHooks;
    }

    /**
     * The AccumulateGrad node of a leaf, with a reference for the caller, who gives it back with {@link #release}.
     * Hooks of the node last as long as the node; a leaf without a graph has none but while somebody holds it.
     */
    public GradNode holdAccumulator(Tensor leaf) {
        return hold(accumulator(leaf));
    }

    /** A reference to a node for the caller, who gives it back with {@link #release}. */
    public GradNode hold(GradNode node) {
        node.refs++;
        return node;
    }

    /** Says what runs from now on, and gives back what ran: a node in which a pass runs goes on after it. */
    GraphTask.Turn turn(GraphTask.Turn next) {
        GraphTask.Turn before = running;
        running = next;
        return before;
    }

    /** {@code task_should_compute_output}: whether a node's gradient is wanted by the pass that runs it. */
    boolean computes(GradNode node, GradNode.Edge edge) {
        return running.computes(node, edge);
    }

    /** Replaces a tensor's history. */
    void setHistory(Tensor t, GradNode node) {
        setHistory(t, node, 0);
    }

    void setHistory(Tensor t, GradNode node, int output) {
        GradNode old = t.gradNode();
        node.refs++;
        t.setHistory(node, output);
        release(old);
    }

    void addOutput(GradNode node, @Nullable Tensor out, boolean nonDifferentiable) {
        int number = node.inputs();
        node.addInput(out == null ? new long[0] : out.sizes(), out == null ? DType.FLOAT32 : out.dtype());
        if (out != null && !nonDifferentiable) {
            RecordedPass.note(node, out, number);
            setHistory(out, node, number);
        }
    }

    // -------------------------------------------------------- saved tensors

    Saved save(GradNode node, @Nullable Tensor t, boolean isOutput) {
        if (t == null) {
            return Saved.NOTHING;
        }
        Saved saved;
        if (hooks != null && !t.isWrappedNumber()) {
            saved = pack(hooks, node, t, isOutput);
        } else {
            // A result is kept through an alias: the node must not keep alive the tensor that keeps the node alive.
            saved = new Saved(keep(isOutput ? alias(t) : t), isOutput);
        }
        node.saved.add(saved);
        return saved;
    }

    /** Holds a tensor as long as a node is there; hooks on saved tensors do not see it. */
    Saved attach(GradNode node, Tensor t) {
        node.attach(keep(t));
        return new Saved(t);
    }

    static Tensor alias(Tensor t) {
        return new Tensor(t.storage(), t.dtype(), t.sizes(), t.strides(), t.offset());
    }

    private Saved pack(SavedTensorHooks hooks, GradNode node, Tensor t, boolean isOutput) {
        try {
            return new Saved(hooks.pack(t));
        } catch (StopRecomputation e) {
            stoppedAtResult = isOutput;
            if (node.refs == 0) { // its operator never got to make a result that holds it
                node.refs = 1;
                release(node);
            }
            throw e;
        }
    }

    /** Whether the last recomputation that stopped did so at a result, which an operator saves when it has run. */
    public boolean stoppedAtResult() {
        return stoppedAtResult;
    }

    /** Takes a reference as what a backward pass needs later. */
    private Tensor keep(Tensor t) {
        t.incrementRefs();
        Storage s = t.storage();
        Category before = s.category();
        s.addSaved(1);
        s.home.changed(s, before);
        return t;
    }

    /** Saves an alias of a tensor, without its history, outside of any node: for hooks that pack tensors. */
    public Tensor saveDetached(Tensor t) {
        return keep(alias(t));
    }

    /** Gives a reference of {@link #saveDetached} back. */
    public void releaseSaved(Tensor t) {
        Category before = t.storage().category();
        t.storage().addSaved(-1);
        if (t.useCount() > 1 || t.storage().useCount() > 1) {
            t.storage().home.changed(t.storage(), before);
        }
        runtime.release(t);
    }

    /** A node's apply() fetches all that it saved before it computes anything. */
    void unpackSaved(GradNode node) {
        // By their numbers: the first compiler makes an object of each iterator, and a pass comes by thousands.
        for (int i = 0; i < node.saved.size(); i++) {
            Saved s = node.saved.get(i);
            if (s.packed() != null) {
                s.unpack();
            }
        }
    }

    /** What hooks handed out is a local variable of apply(): it dies with it, before the node's results are checked. */
    void releaseUnpacked(GradNode node) {
        for (int i = 0; i < node.saved.size(); i++) {
            Saved s = node.saved.get(i);
            if (s.packed() != null) {
                releaseTensor(s);
            }
        }
    }

    private void releaseTensor(Saved s) {
        Tensor t = s.take();
        if (t != null) {
            releaseSaved(t);
        }
    }

    /** Lets go of what a node saved, as after it ran. */
    void releaseSaved(GradNode node) {
        for (int i = 0; i < node.saved.size(); i++) {
            Saved s = node.saved.get(i);
            releaseTensor(s);
            if (s.packed() != null) {
                s.packed().release();
            }
        }
        node.saved.clear();
    }

    /** Gives a reference to a node back. */
    public void release(@Nullable GradNode node) {
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
            bury(dying.poll());
        }
        destroying = false;
    }

    private void bury(GradNode dead) {
        releaseSaved(dead);
        dead.attached().forEach(this::releaseSaved);
        dead.detachAll();
        dead.backward = null;
        for (GradNode.Edge e : dead.edges) {
            if (e != null) {
                release(e.node());
            }
        }
        if (dead.variable != null) {
            dead.variable.setAccumulator(null);
            runtime.release(dead.variable);
        }
    }
}
