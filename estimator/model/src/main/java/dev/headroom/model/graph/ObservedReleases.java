package dev.headroom.model.graph;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** When Python was seen to drop the values of a program, where somebody looked on ({@link Node#released}). */
public final class ObservedReleases {
    private ObservedReleases() {}

    /**
     * Positions of the nodes after which values go, in the order in which they go. A value that is read later, because
     * a pass over the program has put another reader there, goes after its last reader.
     */
    public static Map<String, Integer> of(List<Node> nodes) {
        Map<String, Integer> seen = new LinkedHashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            for (String value : nodes.get(i).released()) {
                seen.put(value, i);
            }
            for (String value : nodes.get(i).reads()) {
                seen.replace(value, i);
            }
        }
        return seen;
    }
}
