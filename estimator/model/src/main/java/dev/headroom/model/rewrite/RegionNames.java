package dev.headroom.model.rewrite;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the values of a body are called in the whole graph.
 *
 * @param path of the regions around, each with a slash behind
 */
record RegionNames(String path, Map<String, String> known) {
    /** Of what lies in no region. */
    static final RegionNames OF_GRAPH = new RegionNames("", Map.of());

    boolean isEmpty() {
        return known.isEmpty();
    }

    /** Of a value, or of one that a region inside of this one has made: {@code no_grad/mask}. */
    String of(String value) {
        String name = known.get(value);
        return name != null ? name : value.indexOf('/') > 0 ? path + value : value;
    }

    /** What the values of a region inside of this one are called, whose node gives it these. */
    RegionNames inside(Node wrapper, Graph body, List<@Nullable String> given) {
        String inner = path + wrapper.name() + "/";
        Map<String, String> names = new HashMap<>();
        for (int i = 0; i < body.inputs().size() && i < given.size(); i++) {
            String outside = given.get(i);
            if (outside != null) {
                names.put(body.inputs().get(i).value(), outside);
            }
        }
        for (Node n : body.nodes()) {
            n.outputs().stream().filter(o -> o != null).forEach(o -> names.put(o, inner + o));
        }
        for (int i = 0; i < body.outputs().size() && i < wrapper.outputs().size(); i++) {
            String out = wrapper.outputs().get(i);
            String value = body.outputs().get(i).value();
            if (out != null && value != null && !isGiven(body, value)) {
                names.put(value, of(out));
            }
        }
        return new RegionNames(inner, names);
    }

    /** Whether a value of a region, such as one that it hands on, is one that it was given. */
    static boolean isGiven(Graph body, String value) {
        return body.inputs().stream().anyMatch(in -> value.equals(in.value()));
    }
}
