package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ModelTypesTest {
    private static final Scenario PLAIN = Scenario.defaults();

    /** A quantised weight comes first, and a buffer in another type; neither is the model's type. */
    private static Graph model(DType weight) {
        return new WrittenGraph()
                .input(Graph.InputKind.BUFFER, "positions", DType.FLOAT64, 4)
                .input(Graph.InputKind.PARAMETER, "packed", DType.INT8, 4)
                .input(Graph.InputKind.PARAMETER, "weight", weight, 4)
                .graph();
    }

    @Test
    void aModelsTypeIsThatOfItsFirstFloatingParameter() {
        assertEquals(
                new ModelTypes(DType.BFLOAT16, DType.BFLOAT16, false), ModelTypes.of(model(DType.BFLOAT16), PLAIN));
        assertEquals(new ModelTypes(DType.FLOAT32, DType.FLOAT32, false), ModelTypes.same(new WrittenGraph().graph()));
    }

    @Test
    void aRunMayGiveItAnother() {
        Scenario half = PLAIN.with(ScenarioSettings.DTYPE, DType.FLOAT16);
        assertEquals(new ModelTypes(DType.FLOAT32, DType.FLOAT16, true), ModelTypes.of(model(DType.FLOAT32), half));
        assertTrue(ModelTypes.converts(model(DType.FLOAT32), half));
        assertFalse(ModelTypes.converts(model(DType.FLOAT16), half));
        assertFalse(ModelTypes.converts(model(DType.FLOAT32), PLAIN));
        assertFalse(ModelTypes.of(model(DType.FLOAT16), half).mixed());
    }

    @Test
    void autocastMixesTypes() {
        ModelTypes types = ModelTypes.of(model(DType.FLOAT32), PLAIN.with(ScenarioSettings.AMP, DType.BFLOAT16));
        assertEquals(new ModelTypes(DType.FLOAT32, DType.FLOAT32, true), types);
    }

    @Test
    void soDoesAnAdapterOfAnotherType() {
        Graph graph = model(DType.BFLOAT16);
        for (DType own : new DType[] {DType.FLOAT32, DType.BFLOAT16}) {
            Map<String, ModelState.HeldTensor> held =
                    new LinkedHashMap<>(graph.held().tensors());
            held.put("adapter", graph.held().tensors().get("weight").of(own));
            ModelTypes types = ModelTypes.of(graph.withHeld(graph.held().withTensors(held)), PLAIN);
            assertEquals(new ModelTypes(DType.BFLOAT16, DType.BFLOAT16, own == DType.FLOAT32), types);
        }
    }

    @Test
    void onlyFloatingPointIsConverted() {
        assertEquals(DType.FLOAT16, ModelTypes.under(DType.FLOAT32, DType.FLOAT16));
        assertEquals(DType.INT64, ModelTypes.under(DType.INT64, DType.FLOAT16));
        assertEquals(DType.FLOAT32, ModelTypes.under(DType.FLOAT32, null));
    }
}
