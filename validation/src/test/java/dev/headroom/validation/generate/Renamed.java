package dev.headroom.validation.generate;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The same graph with other names for values, parameters, and modules (numbers stay: containers go by them). */
final class Renamed {
    private Renamed() {}

    static Graph of(Graph g) {
        Map<String, TensorMeta> values = new LinkedHashMap<>();
        g.values().forEach((name, meta) -> values.put(value(name), meta));
        return new Graph(
                "other",
                g.inputs().stream()
                        .map(i -> new Graph.Input(i.kind(), value(i.value()), path(i.qualifiedName()), i.persistent()))
                        .toList(),
                g.nodes().stream().map(Renamed::node).toList(),
                g.outputs().stream()
                        .map(o -> new Graph.Output(o.kind(), value(o.value()), o.target()))
                        .toList(),
                values,
                g.ints(),
                g.symbols(),
                g.state().stream().map(Renamed::path).toList(),
                held(g.held()));
    }

    private static ModelState held(ModelState state) {
        Map<String, ModelState.HeldTensor> tensors = new LinkedHashMap<>();
        state.tensors()
                .forEach((name, t) -> tensors.put(
                        path(name),
                        new ModelState.HeldTensor(
                                t.kind(), t.meta(), t.persistent(), value(t.value()), path(t.storage()))));
        return new ModelState(state.modules().stream().map(Renamed::path).toList(), tensors, state.notes());
    }

    private static Node node(Node n) {
        return new Node(
                value(n.name()),
                n.target(),
                n.reading(Renamed::value).arguments(),
                n.outputs().stream().map(Renamed::value).toList(),
                n.moduleStack().stream()
                        .map(c -> new Node.ModuleCall(path(c.call()), path(c.path()), c.type()))
                        .toList(),
                n.stackTrace());
    }

    /** Turned round, so that the names' order is another one, too. */
    private static String value(String name) {
        return "v" + new StringBuilder(name).reverse();
    }

    private static String path(String path) {
        List<String> parts = new ArrayList<>();
        for (String part : path.split("\\.", -1)) {
            parts.add(part.matches("[0-9@]*") ? part : new StringBuilder(part).reverse() + "s");
        }
        return String.join(".", parts);
    }
}
