package dev.headroom.estimator.program;

import dev.headroom.estimator.program.variables.Lifetimes;
import dev.headroom.estimator.runtime.BackwardAnchors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.ModuleHooks;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Where the module calls of a graph begin and end, and the hooks that run there. A call's inputs are the values of
 * other calls that it reads, its outputs those of its own that are read after it. Bodies of higher-order operators
 * are part of the call around them.
 */
final class ModuleCalls {
    /** A call: its nodes, first and last, and what goes in and out. */
    record Span(String path, int depth, int first, int last, List<String> inputs, List<String> outputs) {}

    private final EagerRuntime runtime;
    private final Graph graph;
    private final BiConsumer<String, Tensor> returned;
    private final Deque<Running> running = new ArrayDeque<>();
    private boolean ignored;

    /** How many of the running calls are around the checkpoint whose body runs. */
    private int outside;

    /** By node: the calls that begin with it, outermost first; empty before hooks ask for it. */
    private final List<List<Span>> beginning = new ArrayList<>();

    /** By node: the calls that end with it, innermost first. */
    private final List<List<Span>> ending = new ArrayList<>();

    private Map<String, Integer> made = Map.of();

    /** @param returned is told what a hook returns in the place of a module's output */
    ModuleCalls(EagerRuntime runtime, Graph graph, BiConsumer<String, Tensor> returned) {
        this.runtime = runtime;
        this.graph = graph;
        this.returned = returned;
    }

    /** From now on no hooks run: the graph is the body of a higher-order operator. */
    void ignoreHooks() {
        ignored = true;
    }

    /** Whether hooks may run; finds the calls when it is the first time. */
    private boolean hooked() {
        if (ignored || runtime.modules().isEmpty()) {
            return false;
        }
        if (beginning.isEmpty()) {
            findCalls();
        }
        return true;
    }

    private void findCalls() {
        List<Node> nodes = graph.nodes();
        int[][] ends = Lifetimes.callEnds(nodes);
        nodes.forEach(n -> beginning.add(new ArrayList<>(1)));
        nodes.forEach(n -> ending.add(new ArrayList<>(1)));
        Values values = new Values(graph);
        made = values.made;
        for (int i = 0; i < nodes.size(); i++) {
            for (int d = 0; d < ends[i].length; d++) {
                if (nodes.get(i).moduleStack().get(d).isFunction()) {
                    continue; // no module, no hooks
                }
                boolean begun = i > 0 && d < ends[i - 1].length && ends[i - 1][d] >= i;
                if (!begun && !runsAsItsParent(nodes.get(i).moduleStack(), d)) {
                    Span span = values.span(nodes.get(i).moduleStack().get(d).path(), d, i, ends[i][d]);
                    beginning.get(i).add(span);
                    ending.get(span.last()).add(span);
                }
            }
        }
        ending.forEach(of -> of.sort((a, b) -> b.depth() - a.depth()));
    }

    /** The head of a classifier that is a part of a model runs in the name of the model around it. */
    private static boolean runsAsItsParent(List<Node.ModuleCall> stack, int depth) {
        return depth > 0 && stack.get(depth).path().equals(stack.get(depth - 1).path());
    }

    /** Runs the hooks of the calls that begin with a node. */
    void enter(int node, Predicate<Span> which, Map<String, Tensor> values) {
        if (!hooked()) {
            return;
        }
        for (Span span : beginning.get(node)) {
            List<ModuleHooks.Hook> hooks = which.test(span) ? runtime.modules().before(span.path()) : List.of();
            if (!hooks.isEmpty()) {
                Running call = new Running(span, values);
                running.push(call);
                hooks.forEach(h -> h.beforeForward(call));
                if (hooks.stream().anyMatch(ModuleHooks.Hook::inBackward)) {
                    call.replaceInputs(inputs -> BackwardAnchors.after(
                            runtime, "ModuleBackward", inputs, () -> hooks.forEach(h -> h.afterBackward(span.path()))));
                }
            }
        }
    }

    /**
     * Lets values go after a node and runs the hooks of the calls that end with it, innermost first: when a call's
     * hooks run, its own variables are gone, while its arguments are still the caller's.
     */
    void leave(int node, Predicate<Span> which, List<String> released, Map<String, Tensor> values) {
        if (!hooked()) {
            for (int i = 0; i < released.size(); i++) {
                runtime.release(values.remove(released.get(i)));
            }
            return;
        }
        List<String> left = new ArrayList<>(released);
        for (Span span : ending.get(node)) {
            left.removeIf(v -> {
                boolean own = Objects.requireNonNull(made.get(v), v) >= span.first();
                if (own) {
                    runtime.release(values.remove(v));
                }
                return own;
            });
            if (which.test(span)) {
                leave(span);
            }
        }
        for (String v : left) {
            runtime.release(values.remove(v));
        }
    }

    @SuppressWarnings("ReferenceEquality") // the call of this very span, not of one that looks alike
    private void leave(Span span) {
        Running call = running.peek();
        if (call == null || call.span != span || running.size() <= outside) {
            return; // it has no hooks, or had none when it began, or is around the checkpoint that runs
        }
        running.pop();
        call.ended = true;
        List<ModuleHooks.Hook> hooks = runtime.modules().of(span.path());
        hooks.forEach(h -> h.afterForward(call));
        if (runtime.gradMode() && hooks.stream().anyMatch(ModuleHooks.Hook::inBackward)) {
            BackwardAnchors.before(runtime, call.outputs(), () -> hooks.forEach(h -> h.beforeBackward(span.path())));
        }
        call.restoreInputs();
    }

    /** Forgets calls that a recomputation broke off. */
    void unwind(int depth) {
        while (running.size() > depth) {
            running.pop().restoreInputs();
        }
    }

    int depth() {
        return running.size();
    }

    /**
     * The body of a checkpoint begins or ends.
     *
     * @param calls how many of the running calls end after it
     * @return how many it were before
     */
    int keepOutside(int calls) {
        int before = outside;
        outside = calls;
        return before;
    }

    private final class Running implements ModuleHooks.Call {
        private final Span span;
        private final Map<String, Tensor> values;
        private final Map<String, Tensor> replaced = new HashMap<>();

        /** What the callee was given instead, as the caller's tuple of arguments holds it. */
        private final List<Tensor> given = new ArrayList<>(0);

        private boolean ended;

        Running(Span span, Map<String, Tensor> values) {
            this.span = span;
            this.values = values;
        }

        @Override
        public String path() {
            return span.path();
        }

        @Override
        public boolean recomputing() {
            return runtime.tape().inBackwardThread();
        }

        @Override
        public Tensor[] inputs() {
            return tensors(span.inputs());
        }

        @Override
        public Tensor[] outputs() {
            return ended ? tensors(span.outputs()) : new Tensor[0];
        }

        private Tensor[] tensors(List<String> names) {
            return names.stream().map(values::get).filter(t -> t != null).toArray(Tensor[]::new);
        }

        /** The caller's variables stay as they are. */
        @Override
        public void replaceInputs(UnaryOperator<Tensor[]> with) {
            try (Frame locals = runtime.frame()) {
                Tensor[] after = with.apply(inputs());
                int next = 0;
                for (String name : span.inputs()) {
                    Tensor t = values.get(name);
                    if (t != null && after[next++] != t) {
                        if (replaced.putIfAbsent(name, t) != null) { // with the reference that the table held
                            runtime.release(t);
                        }
                        values.put(name, runtime.hold(after[next - 1]));
                        given.add(runtime.hold(after[next - 1]));
                    }
                }
            }
        }

        @Override
        public void replaceOutputs(UnaryOperator<Tensor[]> with) {
            try (Frame locals = runtime.frame()) {
                Tensor[] after = with.apply(outputs());
                int next = 0;
                for (String name : span.outputs()) {
                    Tensor t = values.get(name);
                    if (t != null && after[next++] != t) {
                        values.put(name, runtime.hold(after[next - 1]));
                        returned.accept(name, after[next - 1]);
                        runtime.release(t);
                    }
                }
            }
        }

        private void restoreInputs() {
            replaced.forEach((name, t) -> {
                Tensor inside = values.get(name);
                if (inside == null) { // the callee was the last to use it
                    runtime.release(t);
                } else {
                    values.put(name, t);
                    runtime.release(inside);
                }
            });
            replaced.clear();
            given.forEach(runtime::release);
            given.clear();
        }
    }

    /** Which node makes each value, and where it is read last. */
    private static final class Values {
        private final Graph graph;
        private final Map<String, Integer> made = new HashMap<>();
        private final Map<String, Integer> readLast = new HashMap<>();
        private final Set<String> constants = new LinkedHashSet<>();

        Values(Graph graph) {
            this.graph = graph;
            List<Node> nodes = graph.nodes();
            for (int i = 0; i < nodes.size(); i++) {
                for (String v : nodes.get(i).outputs()) {
                    made.put(v, i);
                }
                for (String v : nodes.get(i).reads()) {
                    readLast.put(v, i);
                }
            }
            graph.outputs().forEach(o -> readLast.put(o.value(), nodes.size()));
            for (Graph.Input in : graph.inputs()) {
                if (in.kind() != Graph.InputKind.USER) {
                    constants.add(in.value());
                }
            }
        }

        Span span(String path, int depth, int first, int last) {
            Set<String> inputs = new LinkedHashSet<>();
            List<String> outputs = new ArrayList<>(1);
            for (int i = first; i <= last; i++) {
                Node node = graph.nodes().get(i);
                for (String v : node.reads()) {
                    if (made.getOrDefault(v, -1) < first && !constants.contains(v)) {
                        inputs.add(v);
                    }
                }
                for (String v : node.outputs()) {
                    if (v != null && readLast.getOrDefault(v, -1) > last) {
                        outputs.add(v);
                    }
                }
            }
            return new Span(path, depth, first, last, List.copyOf(inputs), List.copyOf(outputs));
        }
    }
}
