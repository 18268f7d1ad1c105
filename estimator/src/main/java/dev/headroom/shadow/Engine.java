package dev.headroom.shadow;

import dev.headroom.graph.DType;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Runs backward passes in PyTorch's order (torch/csrc/autograd/engine.cpp). */
public final class Engine {
    /** Arithmetic that the engine itself asks for. */
    public interface Arithmetic {
        /** {@code a + b}, a fresh tensor. */
        Tensor add(Runtime runtime, Tensor a, Tensor b);

        /** {@code a.add_(b)}. */
        void addInPlace(Runtime runtime, Tensor a, Tensor b);

        /** {@code at::sum_to}: reduces a broadcast gradient. */
        Tensor sumTo(Runtime runtime, Tensor grad, long[] sizes);

        /** {@code grad.to(type)}. */
        Tensor cast(Runtime runtime, Tensor grad, DType type);

        /** {@code clone_obey_contract}: a copy in the layout of the variable. */
        Tensor cloneLike(Runtime runtime, Tensor grad, Tensor variable);
    }

    private final Runtime runtime;
    private final Arithmetic arithmetic;

    public Engine(Runtime runtime, Arithmetic arithmetic) {
        this.runtime = runtime;
        this.arithmetic = arithmetic;
    }

    /** {@code root.backward(grad)}; gradients end up in the leaves' {@code .grad}. */
    public void backward(Tensor root, Tensor grad) {
        GradNode.Edge edge = runtime.edge(root);
        if (edge == null) {
            throw new dev.headroom.graph.GraphException(
                    "the loss does not depend on any parameter that requires a gradient: there is no backward pass");
        }
        boolean modeBefore = runtime.setGradMode(false);
        boolean threadBefore = runtime.inBackwardThread();
        int attributionBefore = runtime.attribution();
        runtime.setBackwardThread(true);
        try {
            run(edge, runtime.retain(grad));
        } finally {
            runtime.setBackwardThread(threadBefore);
            runtime.setGradMode(modeBefore);
            runtime.attribute(attributionBefore);
            runtime.releaseNode(edge.node());
        }
    }

    private void run(GradNode.Edge root, Tensor grad) {
        Map<GradNode, int[]> dependencies = dependencies(root.node());
        Map<GradNode, Tensor[]> notReady = new HashMap<>();
        ReadyQueue queue = new ReadyQueue();
        Tensor[] first = new Tensor[root.node().inputs()];
        first[root.input()] = grad;
        queue.push(new ReadyQueue.Task(root.node(), first));
        while (!queue.isEmpty()) {
            ReadyQueue.Task task = queue.pop();
            GradNode node = task.node();
            runtime.attribute(node.attribution);
            if (node.variable != null) {
                accumulateGrad(node.variable, task.inputs()[0]);
                continue;
            }
            Tensor[] outputs = call(node, task.inputs());
            runtime.releaseSaved(node);
            node.backward = null;
            for (int i = 0; i < node.edges.length; i++) {
                GradNode.Edge next = node.edges[i];
                if (next == null) {
                    continue;
                }
                GradNode target = next.node();
                boolean ready = --dependencies.get(target)[0] == 0;
                Tensor[] buffer = notReady.get(target);
                boolean waiting = buffer != null;
                if (!waiting) {
                    buffer = new Tensor[target.inputs()];
                }
                addToBuffer(buffer, next.input(), outputs[i]);
                if (ready) {
                    queue.push(new ReadyQueue.Task(target, buffer));
                    notReady.remove(target);
                } else if (!waiting) {
                    notReady.put(target, buffer);
                }
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
                outputs = Arrays.copyOf(node.backward.apply(inputs), node.edges.length);
                for (Tensor t : outputs) {
                    locals.keep(t);
                }
            }
            validate(node, outputs);
            for (Tensor t : outputs) {
                runtime.retain(t);
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
                buffer[i] = runtime.retain(arithmetic.add(runtime, old, grad));
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
