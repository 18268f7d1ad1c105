package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.AutogradEngine.Root;
import dev.headroom.estimator.runtime.AutogradHooks;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.GradNode;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Parameters with the nodes at which their gradients leave the way from outputs to inputs
 * (torch/distributed/pipelining/_backward.py, get_param_groups and stage_backward_weight). What arrives at such nodes
 * while gradients of inputs are computed is kept, and the gradients of parameters are computed from it later.
 */
final class WeightGroups {
    private static final class Group {
        private final Set<Tensor> parameters = new LinkedHashSet<>();
        private final Set<GradNode> nodes = new LinkedHashSet<>();
        private final Map<GradNode, Tensor[]> gradients = new HashMap<>();
    }

    private final EagerRuntime runtime;
    private final List<Group> groups = new ArrayList<>();
    /** A variable's: the gradients of the group before, until those of the next are there. */
    private List<Tensor> made = List.of();

    private final List<AutogradHooks.Handle> hooks = new ArrayList<>();

    WeightGroups(EagerRuntime runtime, Tensor output, Tensor input, List<Tensor> parameters) {
        this.runtime = runtime;
        Map<GradNode, List<GradNode>> callers = callers(Objects.requireNonNull(output.gradNode()));
        GradNode begin = runtime.tape().holdAccumulator(input);
        Set<GradNode> path = new HashSet<>();
        closure(begin, Set.of(), callers, path);
        runtime.tape().release(begin);
        Map<GradNode, Group> byNode = new LinkedHashMap<>();
        for (Tensor p : parameters) {
            if (!p.requiresGrad()) {
                continue;
            }
            GradNode leaf = runtime.tape().holdAccumulator(p);
            Set<GradNode> met = closure(leaf, path, callers, new HashSet<>());
            runtime.tape().release(leaf);
            join(p, met, byNode);
        }
        groups.addAll(new LinkedHashSet<>(byNode.values()));
        for (Group g : groups) {
            for (GradNode node : g.nodes) {
                runtime.tape().hold(node);
                hooks.add(node.addPrehook(grads -> catchAt(g, node, grads)));
            }
        }
    }

    private static void join(Tensor parameter, Set<GradNode> met, Map<GradNode, Group> byNode) {
        Group own = new Group();
        own.parameters.add(parameter);
        own.nodes.addAll(met);
        for (GradNode node : met) {
            Group known = byNode.get(node);
            if (known == null) {
                byNode.put(node, own);
            } else {
                known.parameters.addAll(own.parameters);
                known.nodes.addAll(own.nodes);
                own = known;
            }
        }
    }

    private static Map<GradNode, List<GradNode>> callers(GradNode root) {
        Map<GradNode, List<GradNode>> out = new HashMap<>();
        ArrayDeque<GradNode> stack = new ArrayDeque<>(List.of(root));
        Set<GradNode> seen = new HashSet<>(List.of(root));
        while (!stack.isEmpty()) {
            GradNode node = stack.pop();
            for (GradNode next : node.next()) {
                out.computeIfAbsent(next, k -> new ArrayList<>(1)).add(node);
                if (seen.add(next)) {
                    stack.push(next);
                }
            }
        }
        return out;
    }

    /** Who leads to a node, up to the first ones of {@code stops}, which are returned. */
    private static Set<GradNode> closure(
            GradNode from, Set<GradNode> stops, Map<GradNode, List<GradNode>> callers, Collection<GradNode> closure) {
        Set<GradNode> met = new LinkedHashSet<>();
        ArrayDeque<GradNode> queue = new ArrayDeque<>(List.of(from));
        closure.add(from);
        while (!queue.isEmpty()) {
            for (GradNode caller : callers.getOrDefault(queue.poll(), List.of())) {
                if (stops.contains(caller)) {
                    met.add(caller);
                } else if (!closure.contains(caller)) {
                    closure.add(caller);
                    queue.add(caller);
                }
            }
        }
        return met;
    }

    private Tensor[] catchAt(Group group, GradNode node, Tensor[] grads) {
        Tensor[] kept = grads.clone();
        for (Tensor t : kept) {
            runtime.hold(t);
        }
        group.gradients.put(node, kept);
        return grads;
    }

    /** The gradients of inputs are there. */
    void stopCatching() {
        hooks.forEach(AutogradHooks.Handle::remove);
        hooks.clear();
    }

    /** Computes the gradients of the parameters, group by group. */
    void accumulate(AutogradEngine engine) {
        List<Tensor> before = List.of();
        for (Group g : groups) {
            before = accumulate(engine, g, before);
        }
        before.forEach(runtime::release);
        made.forEach(runtime::release);
        made = List.of();
    }

    /** @return gradients that a variable still holds while the next group is looked at */
    private List<Tensor> accumulate(AutogradEngine engine, Group g, List<Tensor> before) {
        List<Root> roots = new ArrayList<>();
        List<Tensor> grads = new ArrayList<>();
        for (GradNode node : g.nodes) {
            Tensor[] caught = g.gradients.getOrDefault(node, new Tensor[0]);
            for (int i = 0; i < caught.length; i++) {
                if (caught[i] != null) {
                    roots.add(new Root(runtime.tape().hold(node), i));
                    grads.add(caught[i]);
                }
            }
        }
        before.forEach(runtime::release);
        List<AutogradHooks.Handle> clamps = new ArrayList<>();
        if (g.nodes.size() > 1) {
            g.nodes.forEach(
                    node -> clamps.add(node.addPrehook(ignored -> Objects.requireNonNull(g.gradients.get(node)))));
        }
        g.nodes.forEach(runtime.tape()::release);
        if (!roots.isEmpty()) {
            List<GradNode> wanted =
                    g.parameters.stream().map(runtime.tape()::holdAccumulator).toList();
            List<Tensor> now = Arrays.asList(engine.gradients(roots, grads.toArray(new Tensor[0]), wanted, false));
            made.forEach(runtime::release);
            made = now;
            int k = 0;
            for (Tensor p : g.parameters) {
                give(p, made.get(k++));
            }
            wanted.forEach(runtime.tape()::release);
        }
        clamps.forEach(AutogradHooks.Handle::remove);
        return grads;
    }

    private void give(Tensor parameter, Tensor gradient) {
        if (gradient == null) {
            return;
        }
        if (parameter.grad() == null) {
            runtime.setCategory(gradient, Category.GRADIENTS);
            runtime.setGrad(parameter, gradient);
        } else {
            runtime.noteChange(parameter.grad());
        }
    }
}
