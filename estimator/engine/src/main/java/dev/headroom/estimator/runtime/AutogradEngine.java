package dev.headroom.estimator.runtime;

import dev.headroom.estimator.host.HostThread;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Runs backward passes in PyTorch's order (torch/csrc/autograd/engine.cpp). */
public final class AutogradEngine {
    /** Arithmetic that the engine itself asks for. */
    public interface Arithmetic {
        /** {@code a + b}, a fresh tensor. */
        Tensor add(EagerRuntime runtime, Tensor a, Tensor b);

        /** {@code a.add_(b)}. */
        void addInPlace(EagerRuntime runtime, Tensor a, Tensor b);

        /** {@code at::sum_to}: reduces a broadcast gradient. */
        Tensor sumTo(EagerRuntime runtime, Tensor grad, long[] sizes);

        /** {@code grad.to(type)}. */
        Tensor cast(EagerRuntime runtime, Tensor grad, DType type);

        /** {@code clone_obey_contract}: a copy in the layout of the variable. */
        Tensor cloneLike(EagerRuntime runtime, Tensor grad, Tensor variable);
    }

    private static final Tensor[] NOTHING = {};

    private final EagerRuntime runtime;
    private final Tape tape;
    private final GradientSums sums;
    private final NodeResults results;
    private final RecordedPass recorded;

    private final ReadyQueue.OfDevices queues;

    private int depth;

    /** The pass that the running node belongs to; {@code null} while none runs. */
    private @Nullable GraphTask current;

    public AutogradEngine(EagerRuntime runtime, Arithmetic arithmetic) {
        this.runtime = runtime;
        this.tape = runtime.tape();
        this.sums = new GradientSums(runtime, arithmetic);
        this.results = new NodeResults(runtime, arithmetic);
        this.recorded = new RecordedPass(runtime);
        this.queues = new ReadyQueue.OfDevices(runtime.devices().count());
    }

    /** {@code root.backward(grad)}; gradients end up in the leaves' {@code .grad}. */
    public void backward(Tensor root, Tensor grad) {
        backward(new Tensor[] {root}, new Tensor[] {grad});
    }

    /** {@code torch.autograd.backward}; from a running node it is re-entrant: at once, ahead of all that waits. */
    public void backward(Tensor[] roots, Tensor[] grads) {
        GradNode.Edge[] edges = new GradNode.Edge[roots.length];
        for (int i = 0; i < roots.length; i++) {
            edges[i] = tape.edge(roots[i]);
            if (edges[i] == null) {
                throw new UserInputException(
                        "the loss does not depend on any parameter that requires a gradient: there is no backward"
                                + " pass; `inference` plays forward passes alone, `input_grad`"
                                + " wants the gradient of the"
                                + " input");
            }
        }
        launch(edges, grads, false, start -> null);
    }

    /** {@code root.backward(grad, retain_graph=True)}: nodes keep what they saved. */
    public void backwardAndRetain(Tensor root, Tensor grad) {
        GradNode.Edge edge = tape.edge(root);
        if (edge == null) {
            backward(root, grad); // which says why not
            return;
        }
        launch(new GradNode.Edge[] {edge}, new Tensor[] {grad}, false, start -> new GraphTask.Selection());
    }

    /**
     * {@code torch.autograd.grad} of leaves: their gradients are handed out instead of accumulated, and no others are
     * computed.
     *
     * @param roots where gradients begin; their references are taken over
     * @param grads of the roots
     * @param wanted accumulators of the leaves
     * @param retains whether the graph can be run again
     * @return one a leaf with a reference for the caller, or {@code null}
     */
    public Tensor[] gradients(List<Root> roots, Tensor[] grads, List<GradNode> wanted, boolean retains) {
        GradNode.Edge[] edges = roots.stream()
                .map(root -> new GradNode.Edge(root.node(), root.input()))
                .toArray(GradNode.Edge[]::new);
        GraphTask.Selection selection = Objects.requireNonNull(
                launch(edges, grads, false, start -> new GraphTask.Selection(start, wanted, retains)));
        return wanted.stream().map(selection::caught).toArray(Tensor[]::new);
    }

    /**
     * {@code torch.autograd.grad} of tensors.
     *
     * @param recorded {@code create_graph=True}: the gradients have a history of their own
     * @param taken what is kept of a gradient when it arrives
     * @return one a tensor with a reference for the caller, or {@code null}
     */
    public Tensor[] gradients(
            Tensor root, Tensor grad, List<Tensor> of, boolean retains, boolean recorded, UnaryOperator<Tensor> taken) {
        GradNode.Edge edge = tape.edge(root);
        List<GradNode.Edge> wanted = of.stream().map(tape::edge).toList();
        if (edge == null || wanted.contains(null)) {
            throw new UserInputException("grad() is asked for a tensor that requires no gradient; write"
                    + " x.requires_grad_(True) before it is used");
        }
        List<GradNode> nodes = wanted.stream().map(GradNode.Edge::node).toList();
        GraphTask.Selection selection = Objects.requireNonNull(
                launch(new GradNode.Edge[] {edge}, new Tensor[] {grad}, recorded, start -> new GraphTask.Selection(
                                start, nodes, retains || recorded)
                        .taking(taken)));
        Tensor[] out = nodes.stream().map(selection::caught).toArray(Tensor[]::new);
        nodes.forEach(tape::release);
        return out;
    }

    /** What a recorded pass did not know how to record. */
    public RecordedPass recorded() {
        return recorded;
    }

    /** An input of a node, where a pass begins: {@code torch.autograd.graph.GradientEdge}. */
    public record Root(GradNode node, int input) {}

    private GraphTask.@Nullable Selection launch(
            GradNode.Edge[] edges,
            Tensor[] grads,
            boolean records,
            Function<GradNode, GraphTask.@Nullable Selection> select) {
        boolean modeBefore = runtime.setGradMode(records);
        int attributionBefore = runtime.attribution();
        HostThread worker = runtime.threads().backward(runtime.devices().current());
        HostThread threadBefore = runtime.threads().use(worker);
        GradNode start = edges.length == 1 ? edges[0].node() : graphRoot(edges, grads);
        Tensor[] first = new Tensor[edges.length == 1 ? start.inputs() : 0];
        if (edges.length == 1) {
            first[edges[0].input()] = runtime.hold(grads[0]);
        }
        depth++;
        try {
            GraphTask.Selection selection = select.apply(start);
            run(start, first, selection);
            return selection;
        } finally {
            depth--;
            current = depth == 0 ? null : current;
            runtime.threads().use(threadBefore);
            runtime.setGradMode(modeBefore);
            runtime.attribute(attributionBefore);
            for (GradNode.Edge e : edges) {
                tape.release(e.node());
            }
        }
    }

    /** A node in front of several roots (torch/csrc/autograd/functions/basic_ops.h). */
    private GradNode graphRoot(GradNode.Edge[] edges, Tensor[] grads) {
        GradNode root = new GradNode(
                "GraphRoot", GradNode.FIRST, edges, runtime, runtime.devices().current(), null);
        root.backward = none -> grads;
        return root;
    }

    private void run(GradNode start, Tensor[] first, GraphTask.@Nullable Selection selection) {
        GraphTask graphTask = new GraphTask(depth, start, selection);
        push(graphTask, start, first);
        GraphTask outer = current;
        // Deeper tasks come out of the queue first, so that nothing of another pass runs before this one is through.
        while (graphTask.outstanding > 0) {
            queues.turn(this::evaluate);
        }
        current = graphTask;
        graphTask.callBack();
        current = outer;
    }

    /**
     * {@code queue_callback}: called once all nodes of the running backward pass are through, before its caller goes on
     * (torch/csrc/autograd/engine.cpp, GraphTask::exec_post_processing). Callbacks may queue more.
     */
    public void queueCallback(Runnable callback) {
        if (current == null) {
            throw new IllegalStateException("callbacks can be queued only while a backward pass runs");
        }
        current.callbacks.add(callback);
    }

    /** The pass that the running node belongs to ({@code _current_graph_task_id}), known by its identity. */
    public Object pass() {
        return Objects.requireNonNull(current, "a backward pass");
    }

    private void push(GraphTask graphTask, GradNode node, Tensor[] inputs) {
        graphTask.outstanding++;
        queues.push(new ReadyQueue.Task(graphTask, node, inputs));
    }

    private void evaluate(ReadyQueue.Task task) {
        GradNode node = task.node();
        current = task.graphTask();
        runtime.attribute(node);
        int device = runtime.devices().use(node.device);
        int stream = runtime.streams().use(node.stream);
        HostThread thread = runtime.threads().use(runtime.threads().backward(node.device));
        try {
            run(task.graphTask(), node, task.inputs());
        } finally {
            runtime.threads().use(thread);
            runtime.streams().use(stream);
            runtime.devices().use(device);
        }
        task.graphTask().outstanding--;
    }

    private void run(GraphTask graphTask, GradNode node, Tensor[] inputs) {
        GraphTask.Selection selection = graphTask.selection;
        if (selection != null) {
            selection.arrived(runtime, node, inputs);
            if (!selection.runs(node)) {
                for (Tensor t : inputs) {
                    runtime.release(t);
                }
                return;
            }
        }
        GraphTask.Turn outer = tape.turn(new GraphTask.Turn(node, selection));
        Tensor[] outputs = node.variable == null ? call(node, inputs) : accumulate(node, node.variable, inputs);
        tape.turn(outer);
        pass(graphTask, node, outputs);
    }

    /** Hands a node's results to the nodes that wait for them, and queues those that have all. */
    private void pass(GraphTask graphTask, GradNode node, Tensor[] outputs) {
        GraphTask.Selection selection = graphTask.selection;
        if (selection == null || !selection.retains) {
            tape.releaseSaved(node);
            node.backward = null;
        }
        for (int i = 0; i < node.edges.length; i++) {
            GradNode.Edge next = node.edges[i];
            if (next == null || selection != null && !selection.computes(next.node())) {
                continue;
            }
            GradNode target = next.node();
            GraphTask.Awaited awaited = graphTask.awaited(target);
            awaited.gradients--;
            Tensor[] buffer = awaited.buffer == null ? new Tensor[target.inputs()] : awaited.buffer;
            sums.addToBuffer(buffer, next.input(), outputs[i], target);
            awaited.buffer = buffer;
            if (awaited.gradients == 0) {
                awaited.buffer = null;
                push(graphTask, target, buffer);
            }
        }
    }

    /** Runs one node. Takes over the inputs' references; hands out one reference an output. */
    private Tensor[] call(GradNode node, Tensor[] inputs) {
        if (node.backward == null) {
            throw new UserInputException("backward() comes to " + node.name + " a second time, when what it saved is"
                    + " gone; call backward() once for each forward pass");
        }
        NodeHooks hooks = node.hooks();
        callBefore(hooks, inputs);
        node.await(runtime, inputs);
        Tensor[] outputs;
        Frame made = runtime.frame();
        try {
            try (Frame locals = runtime.frame()) {
                if (!node.unpacks) {
                    tape.unpackSaved(node);
                }
                outputs = Arrays.copyOf(recorded.run(node, node.backward, inputs), node.edges.length);
                for (Tensor t : outputs) {
                    locals.keep(t);
                }
            }
            tape.releaseUnpacked(node);
            results.validate(node, outputs);
            for (Tensor t : outputs) {
                runtime.hold(t);
            }
        } finally {
            made.close();
        }
        if (hooks != null) {
            hooks.callAfter(runtime, outputs, inputs);
        }
        // After the node's own variables, the gradients that it was given.
        for (Tensor t : inputs) {
            runtime.release(t);
        }
        return outputs;
    }

    private void callBefore(@Nullable NodeHooks hooks, Tensor[] inputs) {
        if (hooks != null) {
            hooks.callTensorHooks(runtime, inputs);
            hooks.callBefore(runtime, inputs);
        }
    }

    /** Runs the node of a leaf. Takes over the gradient's reference. */
    private Tensor[] accumulate(GradNode node, Tensor leaf, Tensor[] inputs) {
        if (leaf.leafHooks != null) {
            leaf.leafHooks.callTensorHooks(runtime, inputs);
        }
        callBefore(node.hooks(), inputs);
        NodeHooks hooks = node.hooks();
        boolean kept = hooks != null && hooks.areAfter() || leaf.leafHooks != null && leaf.leafHooks.keepGradients();
        if (inputs[0] != null) {
            sums.accumulate(leaf, inputs[0]);
            if (!kept) { // without hooks after the node the engine gives it away (call_function)
                runtime.release(inputs[0]);
                inputs[0] = null;
            }
            if (leaf.leafHooks != null) {
                leaf.leafHooks.callAccumulated(runtime, leaf);
            }
        }
        if (hooks != null) {
            hooks.callAfter(runtime, NOTHING, inputs);
        }
        runtime.release(inputs[0]);
        return NOTHING;
    }
}
