package dev.headroom.estimator.runtime;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

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

    private final EagerRuntime runtime;
    private final Tape tape;
    private final Arithmetic arithmetic;

    /** The worker thread's, shared by a backward pass and those that its nodes start. */
    private final ReadyQueue queue = new ReadyQueue();

    private int depth;

    public AutogradEngine(EagerRuntime runtime, Arithmetic arithmetic) {
        this.runtime = runtime;
        this.tape = runtime.tape();
        this.arithmetic = arithmetic;
    }

    /** {@code root.backward(grad)}; gradients end up in the leaves' {@code .grad}. */
    public void backward(Tensor root, Tensor grad) {
        backward(new Tensor[] {root}, new Tensor[] {grad});
    }

    /**
     * {@code torch.autograd.backward(roots, grads)}. A call from a running node is re-entrant: it runs at once, ahead of
     * all that waits.
     */
    public void backward(Tensor[] roots, Tensor[] grads) {
        GradNode.Edge[] edges = new GradNode.Edge[roots.length];
        for (int i = 0; i < roots.length; i++) {
            edges[i] = tape.edge(roots[i]);
            if (edges[i] == null) {
                throw new UserInputException(
                        "the loss does not depend on any parameter that requires a gradient: there is"
                                + " no backward pass; --inference plays forward passes alone, --input-grad wants the gradient of"
                                + " the input");
            }
        }
        boolean modeBefore = runtime.setGradMode(false);
        boolean threadBefore = tape.inBackwardThread();
        int attributionBefore = runtime.attribution();
        tape.setBackwardThread(true);
        GradNode start = edges.length == 1 ? edges[0].node() : graphRoot(edges, grads);
        Tensor[] first = new Tensor[edges.length == 1 ? start.inputs() : 0];
        if (edges.length == 1) {
            first[edges[0].input()] = runtime.hold(grads[0]);
        }
        depth++;
        try {
            run(start, first);
        } finally {
            depth--;
            tape.setBackwardThread(threadBefore);
            runtime.setGradMode(modeBefore);
            runtime.attribute(attributionBefore);
            for (GradNode.Edge e : edges) {
                tape.release(e.node());
            }
        }
    }

    /** A node in front of several roots (torch/csrc/autograd/functions/basic_ops.h). */
    private GradNode graphRoot(GradNode.Edge[] edges, Tensor[] grads) {
        GradNode root = new GradNode("GraphRoot", GradNode.FIRST, edges, runtime.attribution(), null);
        root.backward = none -> grads;
        return root;
    }

    private void run(GradNode start, Tensor[] first) {
        GraphTask graphTask = new GraphTask(depth, dependencies(start));
        push(graphTask, start, first);
        // Deeper tasks come out of the queue first, so that nothing of another pass runs before this one is through.
        while (graphTask.outstanding > 0) {
            ReadyQueue.Task task = queue.pop();
            evaluate(task.graphTask(), task.node(), task.inputs());
            task.graphTask().outstanding--;
        }
    }

    private void push(GraphTask graphTask, GradNode node, Tensor[] inputs) {
        graphTask.outstanding++;
        queue.push(new ReadyQueue.Task(graphTask, node, inputs));
    }

    private void evaluate(GraphTask graphTask, GradNode node, Tensor[] inputs) {
        runtime.attribute(node);
        if (node.variable != null) {
            accumulateGrad(node.variable, inputs[0]);
            return;
        }
        Tensor[] outputs = call(node, inputs);
        tape.releaseSaved(node);
        node.backward = null;
        for (int i = 0; i < node.edges.length; i++) {
            GradNode.Edge next = node.edges[i];
            if (next == null) {
                continue;
            }
            GradNode target = next.node();
            boolean ready = --graphTask.dependencies.get(target)[0] == 0;
            Tensor[] buffer = graphTask.notReady.get(target);
            boolean waiting = buffer != null;
            if (!waiting) {
                buffer = new Tensor[target.inputs()];
            }
            addToBuffer(buffer, next.input(), outputs[i]);
            if (ready) {
                push(graphTask, target, buffer);
                graphTask.notReady.remove(target);
            } else if (!waiting) {
                graphTask.notReady.put(target, buffer);
            }
        }
    }

    private static Map<GradNode, int[]> dependencies(GradNode root) {
        Map<GradNode, int[]> count = new HashMap<>();
        ArrayDeque<GradNode> stack = new ArrayDeque<>();
        Map<GradNode, Boolean> seen = new HashMap<>();
        stack.push(root);
        seen.put(root, true);
        while (!stack.isEmpty()) {
            for (GradNode.Edge e : stack.pop().edges) {
                if (e != null) {
                    count.computeIfAbsent(e.node(), k -> new int[1])[0]++;
                    if (seen.put(e.node(), true) == null) {
                        stack.push(e.node());
                    }
                }
            }
        }
        return count;
    }

    /** Runs one node. Takes over the inputs' references; hands out one reference an output. */
    private Tensor[] call(GradNode node, Tensor[] inputs) {
        if (node.backward == null) {
            throw new IllegalStateException(node.name + " runs a second time");
        }
        Tensor[] outputs;
        Frame results = runtime.frame();
        try {
            try (Frame locals = runtime.frame()) {
                if (!node.unpacks) {
                    tape.unpackSaved(node);
                }
                outputs = Arrays.copyOf(node.backward.apply(inputs), node.edges.length);
                for (Tensor t : outputs) {
                    locals.keep(t);
                }
            }
            tape.releaseUnpacked(node);
            validate(node, outputs);
            for (Tensor t : outputs) {
                runtime.hold(t);
            }
        } finally {
            results.close();
        }
        // After the node's own variables, the gradients that it was given.
        for (Tensor t : inputs) {
            runtime.release(t);
        }
        return outputs;
    }

    /** {@code validate_outputs}: gradients take the shape and the type of what they are gradients of. */
    private void validate(GradNode node, Tensor[] outputs) {
        for (int i = 0; i < outputs.length; i++) {
            GradNode.Edge e = node.edges[i];
            if (e == null) {
                outputs[i] = null;
                continue;
            }
            Tensor t = outputs[i];
            if (t == null) {
                continue;
            }
            long[] sizes = e.node().inputSizes.get(e.input());
            if (!Arrays.equals(t.sizes(), sizes)) {
                Tensor reduced = arithmetic.sumTo(runtime, t, sizes);
                t = replace(outputs, i, reduced);
            }
            DType type = e.node().inputTypes.get(e.input());
            if (t.dtype() != type) {
                replace(outputs, i, arithmetic.cast(runtime, t, type));
            }
        }
    }

    private Tensor replace(Tensor[] outputs, int i, Tensor with) {
        Tensor before = outputs[i];
        outputs[i] = with;
        boolean elsewhere = false;
        for (Tensor t : outputs) {
            elsewhere |= t == before;
        }
        if (!elsewhere) {
            runtime.free(before);
        }
        return with;
    }

    /** InputBuffer::add (torch/csrc/autograd/input_buffer.cpp): sums in place when nobody else can see it. */
    private void addToBuffer(Tensor[] buffer, int i, Tensor grad) {
        if (grad == null) {
            return;
        }
        Tensor old = buffer[i];
        if (old == null) {
            buffer[i] = grad;
            return;
        }
        Frame f = runtime.frame();
        try {
            if (old.isNonOverlappingAndDense()
                    && old.useCount() == 1
                    && old.storage().useCount() == 1) {
                arithmetic.addInPlace(runtime, old, grad);
            } else {
                buffer[i] = runtime.hold(arithmetic.add(runtime, old, grad));
                runtime.release(old);
            }
        } finally {
            f.close();
        }
        runtime.release(grad);
    }

    /** AccumulateGrad::accumulateGrad (torch/csrc/autograd/functions/accumulate_grad.h), grad mode off. */
    private void accumulateGrad(Tensor variable, Tensor grad) {
        if (grad == null) {
            return;
        }
        Frame f = runtime.frame();
        try {
            Tensor before = variable.grad();
            if (before != null) {
                arithmetic.addInPlace(runtime, before, grad);
            } else if (grad.useCount() == 1 && obeysLayout(grad, variable)) {
                runtime.setCategory(grad, Category.GRADIENTS);
                runtime.setGrad(variable, runtime.detach(grad));
            } else {
                Tensor copy = arithmetic.cloneLike(runtime, grad, variable);
                runtime.setCategory(copy, Category.GRADIENTS);
                runtime.setGrad(variable, copy);
            }
        } finally {
            f.close();
        }
        runtime.release(grad);
    }

    /** torch/csrc/autograd/utils/grad_layout_contract.h. */
    private static boolean obeysLayout(Tensor grad, Tensor variable) {
        if (!variable.isNonOverlappingAndDense()) {
            return grad.isContiguous();
        }
        for (int d = 0; d < variable.dim(); d++) {
            if (variable.size(d) != 1 && grad.stride(d) != variable.stride(d)) {
                return false;
            }
        }
        return true;
    }
}
