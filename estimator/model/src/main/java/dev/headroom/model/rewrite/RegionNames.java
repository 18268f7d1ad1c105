package dev.headroom.model.rewrite;

import dev.headroom.model.graph.BodyCall;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.HashMap;
import java.util.Map;

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
    RegionNames inside(Node wrapper, BodyCall call) {
        String inner = path + wrapper.name() + "/";
        Map<String, String> names = new HashMap<>();
        call.bound().forEach((in, outside) -> names.put(in, of(outside)));
        Graph body = call.body().graph();
        for (Node n : body.nodes()) {
            n.outputs().stream().filter(o -> o != null).forEach(o -> names.put(o, inner + o));
        }
        for (int i = 0; i < body.outputs().size() && i < wrapper.outputs().size(); i++) {
            String out = wrapper.outputs().get(i);
            String value = body.outputs().get(i).value();
            if (out != null && value != null && !body.takes(value)) {
                names.put(value, of(out));
            }
        }
        return new RegionNames(inner, names);
    }
}
