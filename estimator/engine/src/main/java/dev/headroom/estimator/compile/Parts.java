package dev.headroom.estimator.compile;

import dev.headroom.model.checkpoint.Region;
import dev.headroom.model.checkpoint.RepeatedBlocks;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What of a model becomes a graph of its own.
 *
 * @param nodes in order
 * @param compiled whether they are compiled; others run as they are
 */
record Parts(List<Node> nodes, boolean compiled) {
    /** The whole model, divided where Dynamo breaks it. */
    static List<Parts> whole(Graph graph) {
        return GraphBreaks.parts(graph.nodes()).stream()
                .map(nodes -> new Parts(nodes, true))
                .toList();
    }

    /** Each repeated block, and what is between them. */
    static List<Parts> blocks(Graph graph) {
        List<Region> blocks = RepeatedBlocks.regions(graph);
        if (blocks.isEmpty()) {
            throw new UserInputException("`compile_regions`: the model has no repeated blocks");
        }
        List<Parts> out = new ArrayList<>();
        int at = 0;
        for (Region block : blocks) {
            add(out, graph.nodes().subList(at, block.from()), false);
            add(out, graph.nodes().subList(block.from(), block.to()), true);
            at = block.to();
        }
        add(out, graph.nodes().subList(at, graph.nodes().size()), false);
        return out;
    }

    private static void add(List<Parts> to, List<Node> nodes, boolean compiled) {
        if (!nodes.isEmpty()) {
            to.add(new Parts(nodes, compiled));
        }
    }

    /** What parts read from the one at an index on. */
    static Set<String> readFrom(List<Parts> parts, int index) {
        Set<String> out = new LinkedHashSet<>();
        parts.subList(index, parts.size()).forEach(p -> out.addAll(GraphBreaks.reads(p.nodes())));
        return out;
    }
}
