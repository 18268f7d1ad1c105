package dev.headroom.executor.autograd;

import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.tensor.TensorMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Walks the tape backwards (torch/csrc/autograd/engine.cpp, Engine::execute and evaluate_function). */
public final class BackwardPass {
    private final Tape tape;
    private final TensorMemory memory;
    private final GradientArithmetic arithmetic;
    private final IdentityHashMap<Tensor, Runnable> gatheredHooks = new IdentityHashMap<>();
    private @Nullable Walk running;

    public BackwardPass(Tape tape, GradientArithmetic arithmetic) {
        this.tape = tape;
        this.memory = tape.memory();
        this.arithmetic = arithmetic;
    }

    /**
     * Has something run whenever a leaf's gradient is complete: a post hook of its
     * accumulator, which runs even when there is no gradient.
     */
    public void whenGathered(Tensor leaf, Runnable hook) {
        gatheredHooks.put(leaf, hook);
    }

    /** Whether a pass runs. */
    public boolean isRunning() {
        return running != null;
    }

    /** Has something run at the end of the innermost pass that runs (Engine::queue_callback). */
    public void atEnd(Runnable callback) {
        Objects.requireNonNull(running, "a pass that runs").callbacks.add(callback);
    }

    /**
     * Brings every leaf that a tensor depends on its gradient. What nodes saved is freed as they run.
     *
     * @param gradient of the tensor; borrowed
     */
    public void run(Tensor root, Tensor gradient) {
        run(new Tensor[] {root}, new Tensor[] {gradient});
    }

    /** The same from several tensors at once; those without history are left out. */
    public void run(Tensor[] roots, @Nullable Tensor[] gradients) {
        boolean threadBefore = tape.setBackwardThread(true);
        boolean modeBefore = tape.setEnabled(false);
        Owner ownerBefore = memory.owner();
        Walk around = running;
        Walk walk = new Walk();
        running = walk;
        try {
            walk.run(roots, gradients);
        } finally {
            running = around;
            memory.own(ownerBefore);
            tape.setEnabled(modeBefore);
            tape.setBackwardThread(threadBefore);
        }
    }

    /** One walk: GraphTask. */
    private final class Walk {
        private final ReadyQueue ready = new ReadyQueue();
        private final IdentityHashMap<Node, Integer> missing = new IdentityHashMap<>();
        private final Map<Node, InputBuffer> waiting = new HashMap<>();
        private final List<Runnable> callbacks = new ArrayList<>();

        void run(Tensor[] roots, @Nullable Tensor[] gradients) {
            @Nullable Edge[] edges = Arrays.stream(roots).map(tape::edge).toArray(Edge[]::new);
            try {
                Set<Node> starts = new HashSet<>();
                for (int i = 0; i < edges.length; i++) {
                    if (edges[i] != null) {
                        Node node = edges[i].node();
                        waiting.computeIfAbsent(node, this::buffer).add(edges[i].input(), memory.hold(gradients[i]));
                        starts.add(node);
                    }
                }
                countDependencies(starts);
                for (Edge e : edges) {
                    if (e != null && !missing.containsKey(e.node()) && waiting.containsKey(e.node())) {
                        ready.push(new ReadyQueue.Task(e.node(), waiting.remove(e.node())));
                    }
                }
                while (!ready.isEmpty()) {
                    evaluate(ready.pop());
                }
                callbacks.forEach(Runnable::run);
            } finally {
                // Empty unless the pass failed.
                while (!ready.isEmpty()) {
                    ready.pop().gradients().release();
                }
                waiting.values().forEach(InputBuffer::release);
                for (Edge e : edges) {
                    if (e != null) {
                        tape.release(e.node());
                    }
                }
            }
        }

        private InputBuffer buffer(Node node) {
            return new InputBuffer(memory, arithmetic, node.results.size());
        }

        private void countDependencies(Set<Node> starts) {
            ArrayDeque<Node> queue = new ArrayDeque<>(starts);
            Set<Node> seen = Collections.newSetFromMap(new IdentityHashMap<>());
            seen.addAll(starts);
            while (!queue.isEmpty()) {
                for (Edge e : queue.poll().next) {
                    if (e != null) {
                        missing.merge(e.node(), 1, Integer::sum);
                        if (seen.add(e.node())) {
                            queue.add(e.node());
                        }
                    }
                }
            }
        }

        private void evaluate(ReadyQueue.Task task) {
            Node node = task.node();
            memory.own(node.owner);
            Tensor[] gradients = task.gradients().take();
            Tensor[] out = {};
            try {
                List.copyOf(node.before).forEach(Runnable::run);
                if (node.leaf != null) {
                    accumulate(node.leaf, gradients[0]);
                    gatheredHooks.getOrDefault(node.leaf, () -> {}).run(); // hooks are shown what came in
                    return;
                }
                out = new Tensor[node.next.length];
                call(node, gradients, out);
                tape.releaseSaved(node);
                for (int i = 0; i < out.length; i++) {
                    if (node.next[i] != null) {
                        pass(taken(out, i), node.next[i]);
                    }
                }
            } finally {
                release(gradients);
                release(out);
            }
        }

        /** Hands a gradient on, {@code null} for none, whose reference the next node takes over. */
        private void pass(Tensor gradient, Edge edge) {
            Node next = edge.node();
            boolean complete = missing.merge(next, -1, Integer::sum) == 0;
            InputBuffer buffer = waiting.computeIfAbsent(next, this::buffer);
            if (gradient != null) {
                buffer.add(edge.input(), gradient);
            }
            if (complete) {
                waiting.remove(next);
                ready.push(new ReadyQueue.Task(next, buffer));
            }
        }

        /** Runs a node's function and gives its gradients the shapes and types of what they belong to. */
        private void call(Node node, Tensor[] gradients, Tensor[] out) {
            try (Scope s = memory.open()) {
                if (Arrays.stream(gradients).anyMatch(g -> g != null)) {
                    Tensor[] made = node.function().apply(gradients);
                    for (int i = 0; i < out.length; i++) {
                        out[i] = node.next[i] == null ? null : memory.hold(made[i]);
                    }
                }
            }
            for (int i = 0; i < out.length; i++) {
                if (out[i] != null) {
                    fit(out, i, node.next[i]);
                }
            }
            // call_function lends the function its inputs and lets them go last.
            release(gradients);
        }

        private static Tensor taken(Tensor[] from, int i) {
            Tensor t = from[i];
            from[i] = null;
            return t;
        }

        private void release(Tensor[] gradients) {
            for (int i = 0; i < gradients.length; i++) {
                memory.release(taken(gradients, i));
            }
        }

        /** validate_outputs. */
        private void fit(Tensor[] gradients, int i, Edge edge) {
            Node.Result result = edge.node().results.get(edge.input());
            if (gradients[i].rows() != null) {
                return; // the rows of a table
            }
            if (!Arrays.equals(gradients[i].sizes(), result.sizes())) {
                replace(gradients, i, () -> arithmetic.sumTo(gradients[i], result.sizes()));
            }
            if (gradients[i].dtype() != result.dtype()) {
                replace(gradients, i, () -> arithmetic.cast(gradients[i], result.dtype()));
            }
        }

        /** What was there goes when the other is. */
        private void replace(Tensor[] gradients, int i, Supplier<Tensor> other) {
            Tensor before = gradients[i];
            try (Scope s = memory.open()) {
                gradients[i] = memory.hold(other.get());
            }
            memory.release(before);
        }

        /** AccumulateGrad::accumulateGrad: takes the gradient itself when nobody else has it, else a copy; borrowed. */
        private void accumulate(Tensor leaf, Tensor gradient) {
            if (gradient == null) {
                return;
            }
            try (Scope s = memory.open()) {
                if (gradient.rows() != null
                        || leaf.grad() != null && leaf.grad().rows() != null) {
                    accumulateSparse(leaf, gradient);
                } else if (leaf.grad() != null) {
                    arithmetic.addInPlace(leaf.grad(), gradient);
                } else if (gradient.references() == 1 && obeysLayout(gradient, leaf)) {
                    memory.setGrad(leaf, memory.detach(gradient));
                } else {
                    memory.setGrad(leaf, arithmetic.cloneFor(gradient, leaf));
                }
            }
        }

        /** The same where one is sparse: rows that come again are appended, to a dense gradient they are added. */
        private void accumulateSparse(Tensor leaf, Tensor gradient) {
            Tensor before = leaf.grad();
            Tensor rows = gradient.rows();
            if (before != null && before.rows() == null && rows != null) {
                arithmetic.addRowsInPlace(before, gradient);
            } else if (before != null) {
                memory.setGrad(leaf, arithmetic.addSparse(before, gradient));
            } else if (rows != null && gradient.references() == 1 && gradient.isContiguous()) {
                memory.setGrad(leaf, memory.sparse(memory.detach(gradient), rows));
            } else {
                memory.setGrad(leaf, arithmetic.copySparse(gradient));
            }
        }

        /** grad_layout_contract.h, obeys_layout_contract: dimensions of size one do not count. */
        private static boolean obeysLayout(Tensor gradient, Tensor leaf) {
            if (!Layout.isDense(leaf.sizes(), leaf.strides())) {
                return gradient.isContiguous();
            }
            for (int i = 0; i < leaf.dims(); i++) {
                if (leaf.size(i) != 1 && gradient.stride(i) != leaf.stride(i)) {
                    return false;
                }
            }
            return true;
        }
    }
}
