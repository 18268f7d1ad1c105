package dev.headroom.estimator.program.variables;

import dev.headroom.estimator.program.source.PythonFrame;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.BitSet;
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
    /** By node: the nodes that the same operator of the same line leaves, itself among them. */
    private final List<Place> places = new ArrayList<>();

    /** @param lastUses by value: the last node that reads it, or else the one that makes it */
    SiblingCalls(List<Node> nodes, List<List<PythonFrame>> frames, int[][] callEnd, Map<String, Integer> lastUses) {
        this.nodes = nodes;
        this.callEnd = callEnd;
        this.lastUses = Map.copyOf(lastUses);
        Map<List<Object>, Integer> counts = new HashMap<>();
        Map<List<Object>, Place> byLine = new HashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            int call = callEnd[i].length == 0 ? -1 : callEnd[i][callEnd[i].length - 1];
            List<Object> line = List.of(nodes.get(i).operator(), frames.get(i));
            int before = counts.merge(List.of(line, call), 1, Integer::sum);
            Place place = byLine.computeIfAbsent(List.of(line, before), k -> new Place());
            place.made.add(i);
            places.add(place);
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
        // Its own value does not leave its call, or it would be read later.
        return places.get(made).leave(output, depth) ? Math.min(callEnd[made][depth] + 1, nodes.size() - 1) : lastRead;
    }

    /** One operator of one line; its frames, and so the depth of its call, are the same in all runs. */
    private final class Place {
        private final List<Integer> made = new ArrayList<>(2);
        private final BitSet asked = new BitSet();
        private final BitSet leaves = new BitSet();

        /** Whether any of the values is read after its call. */
        boolean leave(int output, int depth) {
            if (!asked.get(output)) {
                asked.set(output);
                leaves.set(output, made.stream().anyMatch(node -> leaves(node, output, depth)));
            }
            return leaves.get(output);
        }

        private boolean leaves(int node, int output, int depth) {
            List<String> outputs = nodes.get(node).outputs();
            String value = output < outputs.size() ? outputs.get(output) : null; // split() may make fewer
            return value != null && lastUses.getOrDefault(value, node) > callEnd[node][depth];
        }
    }
}
