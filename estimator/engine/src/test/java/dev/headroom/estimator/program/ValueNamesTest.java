package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.AdapterSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What a run does does not depend on what an exporter calls its values, down to the order in which they are dropped. */
class ValueNamesTest {
    private static final Graph MODEL = Importers.read(Path.of("../../fixtures/models/qwen2-0.5b-s512.pt2"));

    private static final Scenario RUN = Scenario.defaults()
            .with(ScenarioSettings.BATCH, 1L)
            .with(ScenarioSettings.CHECKPOINT_MODULES, List.of("model.layers.*"))
            .with(ScenarioSettings.DTYPE, DType.BFLOAT16)
            .with(AdapterSettings.LORA, 4)
            .with(AdapterSettings.TARGETS, List.of("all-linear"));

    @Property(tries = 5)
    void renamedValuesAreDroppedAlike(@ForAll int salt) {
        List<String> there = events(MODEL);
        List<String> here = events(renamed(MODEL, salt));
        assertEquals(there.size(), here.size());
        for (int i = 0; i < there.size(); i++) {
            assertEquals(there.get(i), here.get(i), "event " + i);
        }
    }

    @Example
    void renamingChangesEveryName() {
        Graph other = renamed(MODEL, 1);
        assertEquals(MODEL.values().size(), other.values().size());
        assertEquals(
                0,
                MODEL.values().keySet().stream()
                        .filter(other.values()::containsKey)
                        .count());
    }

    private static List<String> events(Graph graph) {
        EventLog log = Predictor.simulate(new PredictionRequest(graph, RUN)).log();
        List<String> events = new ArrayList<>();
        for (int i = 0; i < log.size(); i++) {
            events.add(log.storage(i) + " " + log.category(i));
        }
        return events;
    }

    private static Graph renamed(Graph graph, int salt) {
        Map<String, TensorMeta> values = new LinkedHashMap<>();
        graph.values().forEach((name, meta) -> values.put(name(name, salt), meta));
        Map<String, ModelState.HeldTensor> held = new LinkedHashMap<>();
        graph.held().tensors().forEach((name, t) -> held.put(name, t.as(name(t.value(), salt), t.storage())));
        return new Graph(
                graph.name(),
                graph.inputs().stream()
                        .map(i -> new Graph.Input(i.kind(), name(i.value(), salt), i.qualifiedName(), i.persistent()))
                        .toList(),
                graph.nodes().stream().map(node -> renamed(node, salt)).toList(),
                graph.outputs().stream()
                        .map(o -> new Graph.Output(o.kind(), name(o.value(), salt), o.target()))
                        .toList(),
                values,
                graph.ints(),
                graph.symbols(),
                graph.state(),
                graph.held().withTensors(held));
    }

    private static Node renamed(Node node, int salt) {
        List<String> outputs = new ArrayList<>();
        node.outputs().forEach(output -> outputs.add(name(output, salt)));
        return node.reading(value -> name(value, salt))
                .withOutputs(outputs)
                .withSeen(node.seen().with(value -> name(value, salt)));
    }

    private static String name(String name, int salt) {
        return name == null ? null : "v" + Integer.toHexString((name + salt).hashCode()) + "_" + name;
    }
}
