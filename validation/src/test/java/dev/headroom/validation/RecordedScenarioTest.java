package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.app.report.JsonReport;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordedScenarioTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static Scenario read(String json) throws JsonProcessingException {
        return RecordedScenario.read(JSON.readTree(json));
    }

    @Test
    void takesTheOptionsOfPredict() throws JsonProcessingException {
        Scenario run = read("""
                {"batch": 7, "dims": {"seq": 64}, "optimizer": "sgd-momentum", "amp": "bf16", "loss": "mse",
                 "fused": true, "zero_grad_keep": false, "reentrant": false, "checkpoint": 0,
                 "checkpoint_modules": ["a.*", "b"], "cudnn_workspace": null, "alloc_conf": ""}""");
        assertEquals(7, run.batch);
        assertEquals(64, run.dims.get("seq"));
        assertEquals(OptimizerKind.SGD_MOMENTUM, run.optimizer);
        assertEquals(DType.BFLOAT16, run.amp);
        assertEquals(LossKind.MSE, run.loss);
        assertTrue(run.fused);
        assertFalse(run.zeroGradKeep);
        assertEquals(false, run.reentrant);
        assertEquals(List.of("a.*", "b"), run.checkpointModules);
        assertNull(run.cudnnWorkspace);
    }

    @Test
    void readsWhatPredictPrints() throws JsonProcessingException {
        Scenario asked = new Scenario();
        asked.batch = 3L;
        asked.optimizer = OptimizerKind.ADAGRAD;
        asked.accumulate = 2;
        asked.dropOutputs = true;
        asked.torch = "2.6";
        StringWriter out = new StringWriter();
        JsonReport.write(
                Predictor.predict(new PredictionRequest(
                        Importers.read(Fixtures.models().resolve("cnn-small.pt2")),
                        asked,
                        GpuCatalogue.find("h200").orElseThrow(),
                        null,
                        0,
                        null)),
                out);
        JsonNode scenario = JSON.readTree(out.toString()).path("scenario");
        Scenario read = RecordedScenario.read(scenario);
        assertEquals(3, read.batch);
        assertEquals(OptimizerKind.ADAGRAD, read.optimizer);
        assertEquals(2, read.accumulate);
        assertTrue(read.dropOutputs);
        assertEquals("2.6", read.torch);
        assertEquals(LossKind.AUTO, read.loss);
        assertNull(read.reentrant);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"optimiser\": \"adam\"}",
                "{\"optimizer\": \"adamm\"}",
                "{\"batch\": \"many\"}",
                "{\"batch\": {\"a\": 1}}",
                "{\"fused\": \"perhaps\"}",
                "{\"dims\": [1]}",
                "{\"checkpoint_modules\": [{\"a\": 1}]}"
            })
    void refusesWhatPredictRefuses(String json) {
        UserInputException e = assertThrows(UserInputException.class, () -> read(json));
        assertTrue(e.getMessage().startsWith("scenario: "), e::getMessage);
    }
}
