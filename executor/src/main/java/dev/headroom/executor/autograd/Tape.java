package dev.headroom.executor.autograd;

import dev.headroom.executor.kernel.ElementwiseKernels;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.tensor.TensorHistory;
import dev.headroom.executor.tensor.TensorMemory;
import dev.headroom.model.error.UserInputException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes nodes for operators that run, and lets nodes go that nothing refers to any more. */
public final class Tape implements TensorHistory {
    private final TensorMemory memory;
    private final ElementwiseKernels kernels;
    private final ArrayDeque<Node> dying = new ArrayDeque<>();
    /** Nodes that no tensor refers to yet: their operators are still running. */
    private final ArrayList<Node> unfinished = new ArrayList<>();

    private final long[] sequence = new long[2];
    private boolean enabled = true;
    private boolean backwardThread;
    private @Nullable SavedTensorHooks hooks;
    private boolean burying;

    /** @param kernels for gradients of views that were changed in place */
    public Tape(TensorMemory memory, ElementwiseKernels kernels) {
        this.memory = memory;
        this.kernels = kernels;
    }

    /** {@code torch.is_grad_enabled()}. */
    public boolean isEnabled() {
        return enabled;
    }

    /**
     * {@code torch.set_grad_enabled}.
     *
     * @return what it was before
     */
    public boolean setEnabled(boolean value) {
        boolean before = enabled;
        enabled = value;
        return before;
    }

    /** Whether autograd's own thread runs, which has its library handles and counts its nodes for itself. */
    public boolean inBackwardThread() {
        return backwardThread;
    }

    boolean setBackwardThread(boolean value) {
        boolean before = backwardThread;
        backwardThread = value;
        return before;
    }

    /** From now on saved tensors go through these; {@code null}: nodes hold them. Returns those before. */
    public @Nullable SavedTensorHooks setHooks(@Nullable SavedTensorHooks now) {
        SavedTensorHooks before = hooks;
        hooks = now;
        return before;
    }

    /** Starts a node when one of the inputs requires a gradient. */
    public Recorder record(String name, @Nullable Tensor... inputs) {
        boolean wanted = false;
        for (Tensor t : inputs) {
            if (t != null && enabled) {
                refresh(t);
            }
            wanted |= t != null && t.requiresGrad();
        }
        if (!enabled || !wanted) {
            return new Recorder(this, null);
        }
        @Nullable Edge[] next = new Edge[inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            next[i] = edge(inputs[i]);
        }
        int thread = backwardThread ? 1 : 0;
        Node node = new Node(name, sequence[thread]++, next, memory.owner(), null);
        node.references++;
        unfinished.add(node);
        return new Recorder(this, node);
    }

    @Override
    public int unfinished() {
        return unfinished.size();
    }

    @Override
    public void abandon(int down) {
        while (unfinished.size() > down) {
            release(unfinished.remove(unfinished.size() - 1));
        }
    }

    /** The node that passes a tensor's gradient on; tensors know it as far as they need to only. */
    private static @Nullable Node node(Tensor t) {
        return (Node) t.gradNode();
    }

    TensorMemory memory() {
        return memory;
    }

    /** Where a tensor's gradient goes, with a reference to the node; {@code null} for nowhere. */
    @Nullable
    Edge edge(@Nullable Tensor t) {
        if (t == null || !t.requiresGrad()) {
            return null;
        }
        Node node = node(t);
        if (node == null) {
            node = (Node) t.accumulator();
        }
        if (node == null) {
            node = new Node("AccumulateGrad", Node.FIRST, new Edge[0], memory.owner(), memory.hold(t));
            node.results.add(new Node.Result(t.sizes(), t.dtype()));
            t.setAccumulator(node);
        }
        node.references++;
        return new Edge(node, t.resultNumber());
    }

    /** Has something run when a tensor's gradient is complete ({@code register_hook}); nothing for a leaf. */
    public void whenComplete(Tensor t, Runnable hook) {
        Node node = node(t);
        if (node != null) {
            node.before.add(hook);
        }
    }

    /** The leaves that a backward pass from these tensors comes to; {@code null} among them is left out. */
    public Set<Tensor> leaves(@Nullable Tensor... roots) {
        Set<Tensor> out = Collections.newSetFromMap(new IdentityHashMap<>());
        Set<Node> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        ArrayDeque<Node> queue = new ArrayDeque<>();
        for (Tensor t : roots) {
            Node node = t == null ? null : node(t);
            if (node != null && seen.add(node)) {
                queue.add(node);
            }
        }
        while (!queue.isEmpty()) {
            Node node = queue.poll();
            if (node.leaf != null) {
                out.add(node.leaf);
            }
            for (Edge e : node.next) {
                if (e != null && seen.add(e.node())) {
                    queue.add(e.node());
                }
            }
        }
        return out;
    }

    SavedTensor save(Node node, Tensor t) {
        SavedTensor saved = hooks != null && t.onDevice()
                ? SavedTensor.packed(t, hooks, node.name)
                : SavedTensor.holding(memory, t, node.name);
        node.saved.add(saved);
        return saved;
    }

    void attach(Node node, Tensor t) {
        node.attached.add(memory.hold(t));
    }

    SavedTensor saveAlias(Node node, Tensor t) {
        try (Scope s = memory.open()) {
            return save(node, memory.detach(t));
        }
    }

    void link(Node node, Tensor t) {
        t.setHistory(node, node.results.size());
        node.results.add(new Node.Result(t.sizes(), t.dtype()));
        int at = node.results.size() == 1 ? unfinished.lastIndexOf(node) : -1;
        if (at < 0) {
            node.references++;
        } else {
            unfinished.remove(at); // its reference is the result's from now on
        }
    }

    /** A tensor changed in place gets a new history in place of its old one (rebase_history). */
    void relink(Node node, Tensor t) {
        Tensor base = t.base();
        if (base != null) {
            relinkView(node, t, base);
            return;
        }
        requireChangeable(node, t);
        Node before = node(t);
        link(node, t);
        release(before);
    }

    private static void requireChangeable(Node node, Tensor t) {
        Node maker = node(t);
        if (maker != null && maker.passes) {
            throw new UserInputException(node.name + ": what a custom function returned as it was given is changed in"
                    + " place, which PyTorch refuses; a wrapped module must not change its input");
        }
        if (t.isLeaf() && t.requiresGrad()) {
            throw new UserInputException(
                    node.name + ": a leaf that requires gradients is changed in place, which PyTorch refuses");
        }
    }

    /** A change of a view is one of its base: the base's gradient goes through it. */
    private void relinkView(Node change, Tensor view, Tensor base) {
        requireChangeable(change, base);
        @Nullable Edge[] next = change.next.clone();
        next[0] = edge(base);
        for (int i = 1; i < next.length; i++) {
            if (next[i] != null) {
                next[i].node().references++;
            }
        }
        Node slices = new Node("CopySlices", change.sequence, next, change.owner, null);
        slices.backward = ViewHistory.copySlices(memory, kernels, base, view, change);
        slices.change = change;
        change.references++;
        Node before = node(base);
        link(slices, base);
        release(before);
        refresh(view);
    }

    /** A view whose storage was changed since it was recorded gets a new history (variable.cpp, grad_fn). */
    private void refresh(Tensor t) {
        Tensor base = t.base();
        if (base == null || t.recordedVersion() == t.storage().version() || !base.requiresGrad()) {
            return;
        }
        long number = sequence[backwardThread ? 1 : 0]++;
        Node node = new Node("AsStridedBackward0", number, new Edge[] {edge(base)}, memory.owner(), null);
        node.backward = ViewHistory.asStrided(memory, kernels, base, t);
        Node before = node(t);
        link(node, t);
        t.recordedAt(t.storage().version());
        release(before);
    }

    @Override
    public void forget(Tensor t) {
        Node node = node(t);
        t.setHistory(null, 0);
        release(node);
    }

    /** Gives a reference to a node back. */
    void release(@Nullable Node node) {
        if (node == null || --node.references > 0) {
            return;
        }
        dying.add(node);
        if (burying) {
            return; // a deep graph must not become a deep recursion
        }
        burying = true;
        try {
            while (!dying.isEmpty()) {
                bury(dying.poll());
            }
        } finally {
            burying = false;
        }
    }

    /** Lets go what a node keeps for its run (Node::release_variables). */
    void releaseSaved(Node node) {
        node.releaseSaved();
        Node change = node.change;
        node.change = null;
        release(change);
    }

    private void bury(Node node) {
        releaseSaved(node);
        node.attached.forEach(memory::release);
        node.attached.clear();
        node.backward = null;
        if (node.leaf != null) {
            node.leaf.setAccumulator(null);
            memory.release(node.leaf);
        }
        for (Edge e : node.next) {
            if (e != null) {
                release(e.node());
            }
        }
    }
}
