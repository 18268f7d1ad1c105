package dev.headroom.executor.program;

import dev.headroom.model.checkpoint.ModuleCalls;
import dev.headroom.model.checkpoint.Region;
import dev.headroom.model.graph.Graph;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The calls of modules that have hooks, by the nodes that they begin and end with. */
final class HookedCalls {
    /**
     * A call.
     *
     * @param to one after its last node
     * @param arguments values that it reads and others made
     * @param results values that it makes and others read
     */
    record Span(int from, int to, List<String> arguments, List<String> results, ModuleHooks hooks, boolean isModel) {
        /**
         * Whether it is called again when a region is recomputed.
         *
         * @param around whether hooks of what is checkpointed are outside of the checkpoint
         */
        boolean isIn(Region region, boolean around) {
            boolean within = !isModel && from >= region.from() && to <= region.to();
            return within && !(around && from == region.from() && to == region.to());
        }
    }

    private final Map<Integer, List<Span>> starting = new HashMap<>();
    private final Map<Integer, List<Span>> ending = new HashMap<>();

    /** @param hooks by path of the module, "" for the model itself */
    HookedCalls(Graph graph, Map<String, ModuleHooks> hooks) {
        ModuleHooks ofModel = hooks.get("");
        if (ofModel != null) {
            add(graph, 0, graph.nodes().size(), ofModel, true);
        }
        ModuleCalls.roots(graph).forEach(call -> walk(graph, call, hooks));
    }

    private void walk(Graph graph, ModuleCalls.Call call, Map<String, ModuleHooks> hooks) {
        if (!call.path().isEmpty() && hooks.containsKey(call.path())) {
            add(graph, call.from(), call.to(), hooks.get(call.path()), false);
        }
        call.children().forEach(child -> walk(graph, child, hooks));
    }

    private void add(Graph graph, int from, int to, ModuleHooks hooks, boolean model) {
        Region range = Region.of(graph, from, to);
        List<String> given = graph.inputs().stream().map(Graph.Input::value).toList();
        List<String> arguments = new ArrayList<>(range.inputs());
        arguments.sort(Comparator.comparingInt(a -> given.contains(a) ? given.indexOf(a) : given.size()));
        Span span = new Span(from, to, arguments, range.outputs(), hooks, model);
        starting.computeIfAbsent(from, i -> new ArrayList<>()).add(span);
        ending.computeIfAbsent(to - 1, i -> new ArrayList<>()).add(0, span);
    }

    /** Calls that begin with a node, the outermost first. */
    List<Span> startingAt(int node) {
        return starting.getOrDefault(node, List.of());
    }

    /** Calls that end with a node, the innermost first. */
    List<Span> endingAt(int node) {
        return ending.getOrDefault(node, List.of());
    }
}
