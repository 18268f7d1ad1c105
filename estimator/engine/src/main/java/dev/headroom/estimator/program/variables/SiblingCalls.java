package dev.headroom.estimator.program.variables;

import dev.headroom.estimator.program.source.PythonFrame;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Nodes that one operator of one line leaves when the line runs several times, as in a loop over layers or time steps.
 * What becomes of the result of one tells what a function does with the others.
 */
final class SiblingCalls {
    private final List<Node> nodes;
    private final int[][] callEnd;
    private final Map<String, Integer> lastUses;
    private final Map<List<Object>, List<Integer>> byPlace = new HashMap<>();
    private final List<List<Object>> places = new ArrayList<>();

    /** @param lastUses by value: the last node that reads it, or else the one that makes it */
    SiblingCalls(List<Node> nodes, List<List<PythonFrame>> frames, int[][] callEnd, Map<String, Integer> lastUses) {
        this.nodes = nodes;
        this.callEnd = callEnd;
        this.lastUses = Map.copyOf(lastUses);
        Map<List<Object>, Integer> counts = new HashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            int call = callEnd[i].length == 0 ? -1 : callEnd[i][callEnd[i].length - 1];
            List<Object> line = List.of(nodes.get(i).operator(), frames.get(i));
            int before = counts.merge(List.of(line, call), 1, Integer::sum);
            List<Object> place = List.of(line, before);
            places.add(place);
            byPlace.computeIfAbsent(place, k -> new ArrayList<>(2)).add(i);
        }
    }

    /**
     * When a value is last read, or right after the call that makes it where that returns it: another run of the call
     * returned its value, as it was read later.
     */
    int returned(int made, int output, int depth, int lastRead) {
        if (depth < 1 || lastRead >= callEnd[made][depth]) {
            return lastRead;
        }
        for (int other : byPlace.getOrDefault(places.get(made), List.of())) {
            List<String> outputs = nodes.get(other).outputs();
            String value = output < outputs.size() ? outputs.get(output) : null; // split() may make fewer
            if (other != made && value != null && lastUses.getOrDefault(value, other) > callEnd[other][depth]) {
                return Math.min(callEnd[made][depth] + 1, nodes.size() - 1);
            }
        }
        return lastRead;
    }
}
