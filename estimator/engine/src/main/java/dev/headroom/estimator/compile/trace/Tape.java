package dev.headroom.estimator.compile.trace;

import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Autograd while the joint graph is traced. Backward runs the steps in the order of the engine: of those that are ready
 * the one that forward made last (torch/csrc/autograd/engine.cpp, CompareNodeTaskTime).
 */
public final class Tape {
    private final Joint joint;
    private long next;

    /** Whether calls are recorded. */
    private boolean enabled = true;

    public Tape(Joint joint) {
        this.joint = joint;
    }

    /** A leaf: a parameter, or what is computed on behalf of it. */
    public Traced leaf(Value value) {
        return new Traced(value, new Step(-1, List.of(), 1, gradients -> new Value[0]), 0);
    }

    /**
     * Turns recording on or off.
     *
     * @return how it was
     */
    public boolean record(boolean on) {
        boolean before = enabled;
        enabled = on;
        return before;
    }

    /** Whether calls are recorded. */
    public boolean records() {
        return enabled;
    }

    /**
     * Records a call with one result.
     *
     * @param backward gradients of the inputs from that of the result; {@code null} for none
     */
    public Traced call(Value result, Function<Value, @Nullable Value[]> backward, Traced... inputs) {
        return call(new Value[] {result}, g -> backward.apply(Objects.requireNonNull(g[0])), inputs)[0];
    }

    /** Records a call with several results. */
    public Traced[] call(Value[] results, Function<@Nullable Value[], @Nullable Value[]> backward, Traced... inputs) {
        boolean wanted = false;
        for (Traced t : inputs) {
            wanted |= t.requiresGrad();
        }
        Traced[] out = new Traced[results.length];
        Step step = wanted && enabled ? new Step(next++, List.of(inputs), results.length, backward::apply) : null;
        for (int i = 0; i < out.length; i++) {
            DType type = results[i].dtype();
            boolean differentiable = type.isFloatingPoint() || type.isComplex();
            out[i] = new Traced(results[i], differentiable ? step : null, i);
        }
        return out;
    }

    /**
     * Traces backward.
     *
     * @param results of the graph that have a tangent, with it
     * @param leaves whose gradients are wanted
     * @return one a leaf, {@code null} where nothing reaches it
     */
    public List<@Nullable Value> backward(Map<Traced, Value> results, List<Traced> leaves) {
        IdentityHashMap<Step, Integer> waiting = new IdentityHashMap<>();
        List<Step> roots = new ArrayList<>();
        results.forEach((result, tangent) -> {
            Step step = result.step();
            if (step != null) {
                if (!waiting.containsKey(step)) {
                    roots.add(step);
                }
                count(step, waiting);
                add(step, result.result(), tangent);
            }
        });
        PriorityQueue<Step> ready = new PriorityQueue<>(Comparator.comparingLong((Step s) -> -s.number));
        roots.stream().filter(s -> waiting.getOrDefault(s, 0) == 0).forEach(s -> enqueue(s, ready));
        while (!ready.isEmpty()) {
            Step step = ready.poll();
            if (step.number >= 0) {
                run(step, waiting, ready);
            }
        }
        List<@Nullable Value> out = new ArrayList<>();
        for (Traced leaf : leaves) {
            Step step = leaf.step();
            out.add(step == null ? null : step.gradients[0]);
        }
        return out;
    }

    private static void enqueue(Step step, PriorityQueue<Step> ready) {
        if (!step.queued) {
            step.queued = true;
            ready.add(step);
        }
    }

    /** How many gradients each step waits for. */
    private static void count(Step root, IdentityHashMap<Step, Integer> waiting) {
        if (waiting.putIfAbsent(root, 0) != null) {
            return;
        }
        List<Step> open = new ArrayList<>(List.of(root));
        while (!open.isEmpty()) {
            Step step = open.remove(open.size() - 1);
            for (Traced input : step.inputs) {
                Step before = input.step();
                if (before != null) {
                    if (!waiting.containsKey(before)) {
                        open.add(before);
                    }
                    waiting.merge(before, 1, Integer::sum);
                }
            }
        }
    }

    private void run(Step step, IdentityHashMap<Step, Integer> waiting, PriorityQueue<Step> ready) {
        boolean reached = false;
        for (Value g : step.gradients) {
            reached |= g != null;
        }
        @Nullable Value[] made = reached ? step.backward.apply(step.gradients) : new Value[step.inputs.size()];
        for (int i = 0; i < step.inputs.size(); i++) {
            Step before = step.inputs.get(i).step();
            if (before == null) {
                continue;
            }
            Value gradient = made[i];
            if (gradient != null) {
                add(before, step.inputs.get(i).result(), gradient);
            }
            if (waiting.merge(before, -1, Integer::sum) == 0) {
                enqueue(before, ready);
            }
        }
    }

    private void add(Step step, int result, Value gradient) {
        Value known = step.gradients[result];
        step.gradients[result] =
                known == null ? gradient : joint.pointwise("aten.add", "", known.dtype(), known, gradient);
    }
}
