package dev.headroom.estimator.predict;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import dev.headroom.model.memo.GraphMemo;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Shares of modules and operators, in execution order. */
final class LayerTable {
    /** The operator under which parameters that no operator reads are listed. */
    private static final String PARAMETER = ModelTensors.PARAMETER;

    private static final GraphMemo<Readers> READERS = new GraphMemo<>(LayerTable::readers);

    private record Key(String module, String operator) {}

    /**
     * Who reads what in a graph.
     *
     * @param inOrder of execution
     * @param first the first operator that reads a parameter, by the name of its storage
     */
    private record Readers(Set<Key> inOrder, Map<String, Key> first) {}

    private static final class Row {
        private long parameters;
        private long gradients;
        private long optimizerState;
        private long saved;
        private long peak;
    }

    private final Map<Key, Row> rows = new LinkedHashMap<>();

    private final Map<Integer, Key> stateOf = new HashMap<>();
    private final Simulation simulation;
    private final Readers readers;

    private LayerTable(Simulation simulation) {
        this.simulation = simulation;
        this.readers = READERS.of(simulation.prepared().graph());
    }

    /**
     * The table.
     *
     * @param savedAt what is alive at the end of a forward pass, by storage
     * @param peak what is alive at the peak, by storage
     */
    static List<LayerShare> of(Simulation simulation, Category[] savedAt, Category[] peak) {
        LayerTable table = new LayerTable(simulation);
        table.readers.inOrder().forEach(table::row);
        table.parameters();
        table.storages(savedAt, peak);
        return table.rows.entrySet().stream()
                .map(e -> share(e.getKey(), e.getValue()))
                .toList();
    }

    private static LayerShare share(Key k, Row r) {
        return new LayerShare(k.module, k.operator, r.parameters, r.gradients, r.optimizerState, r.saved, r.peak);
    }

    private Row row(Key key) {
        return rows.computeIfAbsent(key, k -> new Row());
    }

    private static Readers readers(Graph graph) {
        Set<Key> inOrder = new LinkedHashSet<>();
        Map<String, Key> first = new HashMap<>();
        Map<String, Key> ofValues = new HashMap<>();
        for (Node n : graph.nodes()) {
            Key key = new Key(n.module(), n.operator());
            inOrder.add(key);
            for (Node.NamedArgument a : n.arguments()) {
                if (a.value() instanceof Argument.Value v) {
                    ofValues.putIfAbsent(v.name(), key);
                }
            }
        }
        for (ModelState.HeldTensor held : graph.held().tensors().values()) {
            Key reader = ofValues.get(held.value());
            if (reader != null) {
                first.putIfAbsent(held.storage(), reader);
            }
        }
        return new Readers(inOrder, first);
    }

    /** The row of a parameter: the first operator that reads it. */
    private Key keyOf(String qualifiedName) {
        Key reader = readers.first().get(qualifiedName);
        return reader != null ? reader : new Key(ModelState.owner(qualifiedName), PARAMETER);
    }

    private void parameters() {
        for (ParameterMemory p : simulation.parameters()) {
            Key key = keyOf(p.name());
            Row row = row(key);
            row.parameters += p.bytes();
            row.gradients += p.requiresGrad() ? p.bytes() : 0;
            for (ParameterMemory.State state : p.state()) {
                row.optimizerState += state.bytes();
                stateOf.put(state.storage(), key);
            }
        }
    }

    private void storages(Category[] savedAt, Category[] peak) {
        EventLog log = simulation.log();
        Map<Integer, Key> keys = new HashMap<>();
        for (int s = 0; s < log.storages(); s++) {
            long bytes = log.requested(s);
            boolean saved = s < savedAt.length && savedAt[s] == Category.SAVED_ACTIVATIONS;
            boolean atPeak = s < peak.length && peak[s] != null;
            if (bytes > 0 && (saved || atPeak)) {
                Key state = stateOf.get(s);
                Row row = row(state != null ? state : keys.computeIfAbsent(log.attribution(s), this::key));
                row.saved += saved ? bytes : 0;
                row.peak += atPeak ? bytes : 0;
            }
        }
    }

    private Key key(int attribution) {
        Attribution a = simulation.attributions().get(attribution);
        return a.operator().equals(PARAMETER) ? keyOf(a.node()) : new Key(a.module(), a.operator());
    }
}
