package dev.headroom.advisor.explain;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The modules of a graph that run. */
final class Modules {
    private Modules() {}

    /** Paths of modules that hold no others that run. */
    static List<String> leaves(Graph graph) {
        Set<String> inner = new LinkedHashSet<>();
        Set<String> last = new LinkedHashSet<>();
        for (Node n : graph.nodes()) {
            String path = n.module();
            if (!path.isEmpty()) {
                last.add(path);
            }
            for (int dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
                inner.add(path.substring(0, dot));
            }
        }
        last.removeAll(inner);
        return List.copyOf(last);
    }

    /** Patterns of numbered blocks, such as {@code layer1.*} or {@code transformer.h.*}; "" where there are none. */
    static List<String> blocks(Graph graph) {
        Set<String> blocks = new LinkedHashSet<>();
        for (Node n : graph.nodes()) {
            String family = Words.family(n.module());
            if (family.endsWith(".*")) {
                blocks.add(family);
            }
        }
        return List.copyOf(blocks);
    }
}
