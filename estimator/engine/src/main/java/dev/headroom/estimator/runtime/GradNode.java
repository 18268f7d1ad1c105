package dev.headroom.estimator.runtime;

import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.repeat.Part;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A node of the backward graph: PyTorch's {@code torch::autograd::Node}. */
public final class GradNode extends Part {
    /** Runs the node: gradients of its outputs in, gradients of its inputs out ({@code null}: undefined). */
    @FunctionalInterface
    public interface Backward {
        Tensor[] apply(Tensor[] grads);
    }

    /** Where a gradient goes: an input of another node. */
    record Edge(GradNode node, int input) {}

    /** Sequence number of nodes that run as soon as they can (torch/csrc/autograd/functions/accumulate_grad.h). */
    static final long FIRST = Long.MAX_VALUE;

    /** Nodes that only look at a gradient's sizes. */
    private static final Set<String> VIEWS = Set.of(
            "ViewBackward0",
            "UnsafeViewBackward0",
            "TBackward0",
            "TransposeBackward0",
            "_ToTorchTensorBackward",
            "_FromTorchTensorBackward",
            "RedistributeBackward");

    final String name;
    final long sequence;
    final Edge[] edges;
    final int attribution;

    /** The parameter of an AccumulateGrad node, else {@code null}. */
    final @Nullable Tensor variable;

    final List<Saved> saved = new ArrayList<>(4);

    /** Made when there is something to hold: a run has thousands of nodes, of which few do. */
    private @Nullable List<Tensor> attached;

    private long[][] inputSizes = new long[1][];
    private DType[] inputTypes = new DType[1];
    private int inputs;

    @Nullable
    Backward backward;

    /**
     * Runs the node as {@link #backward} does, every operator recorded in turn, for {@code create_graph=True}; {@code
     * null} where that is not known.
     */
    @Nullable
    Backward again;

    /** Whether {@code backward} unpacks what was saved, in its own time; else the engine does before it. */
    boolean unpacks;

    int refs;

    /** What it waits for in the pass that came to it first, of those that are not over. */
    GraphTask.@Nullable Awaited awaited;

    /** The device and the stream that the node was recorded on, where it runs as well. */
    final int device;

    final int stream;

    private @Nullable NodeHooks hooks;

    /** Forward results that are tensors of a subclass; {@code null} for none. */
    private @Nullable BitSet wrapped;

    GradNode(String name, long sequence, Edge[] edges, EagerRuntime runtime, int device, @Nullable Tensor variable) {
        this.device = device;
        this.stream = runtime.streams().current();
        this.name = name;
        this.sequence = sequence;
        this.edges = edges;
        this.attribution = runtime.attribution();
        this.variable = variable;
    }

    /** Such as {@code AddmmBackward0}. */
    public String name() {
        return name;
    }

    /** {@code Node.register_prehook}. */
    public AutogradHooks.Handle addPrehook(AutogradHooks.BeforeNode hook) {
        return makeHooks().addBefore(hook);
    }

    /** {@code Node.register_hook}. */
    public AutogradHooks.Handle addHook(AutogradHooks.AfterNode hook) {
        return makeHooks().addAfter(hook);
    }

    /** Its hooks, or {@code null} for none. */
    @Nullable
    NodeHooks hooks() {
        return hooks;
    }

    NodeHooks makeHooks() {
        if (hooks == null) {
            hooks = new NodeHooks();
        }
        return hooks;
    }

    /** Notes that a forward result is a tensor of a subclass. */
    void setWrapped(int input) {
        if (wrapped == null) {
            wrapped = new BitSet();
        }
        wrapped.set(input);
    }

    /** Whether a forward result is a tensor of a subclass, and so its gradient. */
    boolean isWrapped(int input) {
        return wrapped != null && wrapped.get(input);
    }

    /** Waits for collectives that gave the node its gradients, unless it looks at their sizes only. */
    void await(EagerRuntime runtime, Tensor[] gradients) {
        for (Tensor g : gradients) {
            if (g != null && !VIEWS.contains(name)) {
                g.storage().await(runtime);
            }
        }
    }

    /**
     * Whether the node is that of a DTensor and these are the sizes of all of it: a layout that gradients may have as
     * well.
     */
    boolean takesWhole(long[] sizes) {
        return variable != null
                && variable.distribution() != null
                && Arrays.equals(sizes, variable.distribution().sizes());
    }

    /** The nodes that its results go to. */
    public List<GradNode> next() {
        List<GradNode> out = new ArrayList<>(edges.length);
        for (Edge e : edges) {
            if (e != null) {
                out.add(e.node());
            }
        }
        return out;
    }

    /** What it computes matters to no later step: a step runs the nodes that it records itself. */
    @Override
    protected void describe(Beginning to) {
        to.constant(name);
        to.number(refs);
        to.number(attribution);
        to.number(backward == null ? 0 : 1);
        to.part(variable);
        to.number(edges.length);
        for (Edge e : edges) {
            to.part(e == null ? null : e.node());
            to.number(e == null ? 0 : e.input());
        }
        to.number(saved.size());
        for (int i = 0; i < saved.size(); i++) {
            saved.get(i).describe(to);
        }
        to.parts(attached());
        to.number(inputs);
        for (int i = 0; i < inputs; i++) {
            to.constant(inputSizes[i]);
            to.number(inputTypes[i].ordinal());
        }
        to.unknownIf(device != 0 || stream != 0 || hooks != null || wrapped != null);
    }

    /**
     * Adds an input: the gradient of a forward result.
     *
     * @param sizes of the result
     */
    void addInput(long[] sizes, DType type) {
        if (inputs == inputSizes.length) {
            inputSizes = Arrays.copyOf(inputSizes, 2 * inputs);
            inputTypes = Arrays.copyOf(inputTypes, 2 * inputs);
        }
        inputSizes[inputs] = sizes;
        inputTypes[inputs++] = type;
    }

    int inputs() {
        return inputs;
    }

    /** The shape of the forward result that an input is the gradient of. */
    long[] inputSizes(int input) {
        return inputSizes[input];
    }

    /** The type of the forward result that an input is the gradient of. */
    DType inputType(int input) {
        return inputTypes[input];
    }

    /** What the node holds for as long as it is there, as plain attributes of a Python function's {@code ctx} are. */
    List<Tensor> attached() {
        return attached == null ? List.of() : attached;
    }

    /** Holds a tensor for as long as the node is there. */
    void attach(Tensor t) {
        if (attached == null) {
            attached = new ArrayList<>();
        }
        attached.add(t);
    }

    /** Holds nothing any more. */
    void detachAll() {
        attached = null;
    }
}
