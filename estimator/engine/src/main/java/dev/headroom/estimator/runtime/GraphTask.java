package dev.headroom.estimator.runtime;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One backward pass (torch/csrc/autograd/graph_task.h). */
final class GraphTask {
    /** 1 for a pass of its own, one more for each pass that it runs inside. */
    final int depth;

    /** Which nodes run; {@code null} for all. */
    final @Nullable Selection selection;

    /** What nodes wait for that another pass, around this one, comes to as well; others note it themselves. */
    private final Map<GradNode, Awaited> shared = new HashMap<>(0);

    /** What to call when all nodes are through. */
    final List<Runnable> callbacks = new ArrayList<>(0);

    /** Nodes in the queue or running. */
    int outstanding;

    GraphTask(int depth, GradNode start, @Nullable Selection selection) {
        this.selection = selection;
        this.depth = depth;
        reach(start);
    }

    /** Calls what was queued, and what that queues in turn. */
    void callBack() {
        for (int i = 0; i < callbacks.size(); i++) {
            callbacks.get(i).run();
        }
    }

    /**
     * A node that runs and what its pass is to run (graph_task.h, GraphTaskGuard).
     *
     * @param node {@code null} while none runs
     * @param selection {@code null} for everything
     */
    record Turn(@Nullable GradNode node, @Nullable Selection selection) {
        static final Turn NOBODYS = new Turn(null, null);

        /** Whether a gradient of a node is wanted; of one that does not run, all are. */
        boolean computes(GradNode of, GradNode.Edge edge) {
            return of != node || selection == null || selection.computes(edge.node());
        }
    }

    /** What a node that is not ready to run waits for (graph_task.h: dependencies_ and not_ready_). */
    Awaited awaited(GradNode node) {
        return Objects.requireNonNull(find(node), node.name);
    }

    private @Nullable Awaited find(GradNode node) {
        Awaited own = node.awaited;
        return own != null && own.by == this ? own : shared.get(node);
    }

    private void reach(GradNode root) {
        ArrayDeque<GradNode> stack = new ArrayDeque<>();
        stack.push(root);
        while (!stack.isEmpty()) {
            for (GradNode.Edge e : stack.pop().edges) {
                if (e == null) {
                    continue;
                }
                Awaited known = find(e.node());
                if (known != null) {
                    known.gradients++;
                } else {
                    expect(e.node());
                    if (e.node() != root) {
                        stack.push(e.node());
                    }
                }
            }
        }
    }

    private void expect(GradNode node) {
        if (node.awaited == null || node.awaited.by.outstanding == 0) {
            node.awaited = new Awaited(this);
        } else {
            shared.put(node, new Awaited(this));
        }
    }

    /** Gradients that a node waits for. */
    static final class Awaited {
        /** The pass that they are of. */
        final GraphTask by;

        Awaited(GraphTask by) {
            this.by = by;
        }

        /** How many are still to come. */
        int gradients = 1;
        /** Those that came; {@code null} before the first. */
        Tensor @Nullable [] buffer;
    }

    /**
     * What a pass is to run when only some gradients are asked for: the nodes that lead to them
     * (torch/csrc/autograd/engine.cpp, GraphTask::init_to_execute). What arrives at the wanted nodes is caught; they
     * run no more.
     */
    static final class Selection {
        /** Whether nodes keep what they saved. */
        final boolean retains;

        private final boolean all;
        private final Set<GradNode> leading = new HashSet<>();
        private final Map<GradNode, Tensor> caught = new HashMap<>();
        private UnaryOperator<Tensor> taken = UnaryOperator.identity();

        Selection(GradNode root, Collection<GradNode> wanted, boolean retains) {
            this.retains = retains;
            this.all = false;
            Map<GradNode, List<GradNode>> callers = new HashMap<>();
            ArrayDeque<GradNode> stack = new ArrayDeque<>(List.of(root));
            Set<GradNode> seen = new HashSet<>(List.of(root));
            while (!stack.isEmpty()) {
                GradNode node = stack.pop();
                for (GradNode next : node.next()) {
                    callers.computeIfAbsent(next, k -> new ArrayList<>(1)).add(node);
                    if (seen.add(next)) {
                        stack.push(next);
                    }
                }
            }
            wanted.forEach(w -> caught.put(w, null));
            stack.addAll(wanted);
            while (!stack.isEmpty()) {
                for (GradNode caller : callers.getOrDefault(stack.pop(), List.of())) {
                    if (leading.add(caller)) {
                        stack.push(caller);
                    }
                }
            }
        }

        /** Of a pass that runs everything and can be run again: {@code backward(retain_graph=True)}. */
        Selection() {
            this.retains = true;
            this.all = true;
        }

        /** Whether a gradient for a node is computed. */
        boolean computes(GradNode node) {
            return all || leading.contains(node) || caught.containsKey(node);
        }

        boolean runs(GradNode node) {
            return all || leading.contains(node);
        }

        /** Takes what arrived at a node, if it is wanted. */
        void arrived(EagerRuntime runtime, GradNode node, Tensor[] inputs) {
            if (caught.containsKey(node)) {
                try (Frame frame = runtime.frame()) {
                    caught.put(node, runtime.hold(taken.apply(inputs[0])));
                }
            }
        }

        /** From now on this is caught in a gradient's place. */
        Selection taking(UnaryOperator<Tensor> other) {
            taken = other;
            return this;
        }

        /** With a reference for the caller; {@code null} for none. */
        @Nullable
        Tensor caught(GradNode node) {
            return caught.get(node);
        }
    }
}
