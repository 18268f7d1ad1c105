package dev.headroom.validation;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.DROP_OUTPUTS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;
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
import dev.headroom.model.scenario.TorchVersion;
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
        assertEquals(7, run.sizes().batch());
        assertEquals(64, run.sizes().dims().get("seq"));
        assertEquals(OptimizerKind.SGD_MOMENTUM, run.optimizer().kind());
        assertEquals(DType.BFLOAT16, run.precision().amp());
        assertEquals(LossKind.MSE, run.loop().loss());
        assertTrue(run.optimizer().fused());
        assertFalse(run.loop().zeroGradKeep());
        assertEquals(false, run.checkpointing().reentrant());
        assertEquals(List.of("a.*", "b"), run.checkpointing().modules());
        assertNull(run.kernels().cudnnWorkspace().bytes());
    }

    @Test
    void readsWhatPredictPrints() throws JsonProcessingException {
        Scenario asked = Scenario.defaults()
                .with(BATCH, 3L)
                .with(OPTIMIZER, OptimizerKind.ADAGRAD)
                .with(ACCUMULATE, 2)
                .with(DROP_OUTPUTS, true)
                .with(TORCH, TorchVersion.of("2.6"));
        StringWriter out = new StringWriter();
        JsonReport.write(
                Predictor.predict(new PredictionRequest(
                        Importers.read(Fixtures.models().resolve("cnn-small.pt2")),
                        asked.on(GpuCatalogue.find("h200").orElseThrow()))),
                out);
        JsonNode scenario = JSON.readTree(out.toString()).path("scenario");
        Scenario read = RecordedScenario.read(scenario);
        assertEquals(3, read.sizes().batch());
        assertEquals(OptimizerKind.ADAGRAD, read.optimizer().kind());
        assertEquals(2, read.loop().accumulate());
        assertTrue(read.loop().dropOutputs());
        assertEquals("2.6", read.torch().toString());
        assertEquals(LossKind.AUTO, read.loop().loss());
        assertNull(read.checkpointing().reentrant());
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
