package dev.headroom.advisor.change;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The modules of a graph that run. */
public final class Modules {
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

    /** Patterns of numbered blocks, such as {@code layer1.*} or {@code transformer.h.*}. */
    static List<String> blocks(Graph graph) {
        return graph.nodes().stream()
                .flatMap(n -> numbered(n.module()).stream())
                .distinct()
                .toList();
    }

    /** The pattern for a module's outermost numbered part: {@code transformer.h.*} for {@code transformer.h.3.attn}. */
    public static Optional<String> numbered(String path) {
        List<String> names = Arrays.asList(path.split("\\."));
        for (int i = 1; i < names.size(); i++) {
            if (names.get(i).chars().allMatch(Character::isDigit)) {
                return Optional.of(String.join(".", names.subList(0, i)) + ".*");
            }
        }
        return Optional.empty();
    }
}
