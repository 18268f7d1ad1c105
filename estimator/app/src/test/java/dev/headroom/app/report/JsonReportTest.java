package dev.headroom.app.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.scenario.Scenario;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonReportTest {
    @Test
    void hasTheKeysOfTheContractInOrder() throws IOException {
        JsonNode json = json(Predictions.fitting(Scenario.defaults()));
        assertEquals(
                List.of(
                        "model",
                        "scenario",
                        "device",
                        "phases",
                        "peak",
                        "at_peak",
                        "layers",
                        "verdict",
                        "oom",
                        "warnings",
                        "unmodelled",
                        "convolution_workspaces",
                        "device_lines",
                        "interval"),
                keys(json));
        assertEquals(
                List.of("phase", "step", "micro", "allocated", "reserved", "max_allocated", "max_reserved"),
                keys(json.get("phases").get(2)));
        assertEquals(List.of("allocated", "reserved", "device"), keys(json.get("peak")));
        assertEquals(
                List.of(
                        "parameters",
                        "buffers",
                        "gradients",
                        "optimizer_state",
                        "saved_activations",
                        "temporaries",
                        "workspaces",
                        "inputs",
                        "outputs",
                        "rounding",
                        "cached_free"),
                keys(json.get("at_peak")));
        assertEquals(
                List.of("module", "operator", "parameters", "gradients", "optimizer_state", "saved", "peak_share"),
                keys(json.get("layers").get(0)));
        assertEquals(List.of("fits", "headroom", "probability_oom", "minimum_memory"), keys(json.get("verdict")));
    }

    @Test
    void writesBytesAndNulls() throws IOException {
        JsonNode json = json(Predictions.deviceless(Scenario.defaults()));
        assertTrue(json.get("device").isNull());
        assertTrue(json.get("oom").isNull());
        assertTrue(json.get("verdict").get("fits").isNull());
        assertTrue(json.get("phases").get(0).get("step").isNull());
        assertEquals(98L << 20, json.get("phases").get(0).get("allocated").asLong());
        assertEquals(3034L << 20, json.get("peak").get("allocated").asLong());
    }

    @Test
    void tellsWhereMemoryRunsOut() throws IOException {
        JsonNode json = json(Predictions.failing(Scenario.defaults()));
        assertEquals(List.of("phase", "step", "module", "operator", "requested"), keys(json.get("oom")));
        assertEquals(false, json.get("verdict").get("fits").asBoolean(true));
        assertEquals(0.97, json.get("verdict").get("probability_oom").asDouble());
    }

    @Test
    void tellsWhatDeviceMemoryIsMadeOfAndHowSureThatIs() throws IOException {
        JsonNode json = json(Predictions.fitting(Scenario.defaults()));
        JsonNode reserved = json.get("device_lines").get(0);
        assertEquals(List.of("part", "kind", "bytes", "low", "high", "source"), keys(reserved));
        assertEquals("bounded", reserved.get("kind").asText());
        assertEquals(List.of("level", "low", "high"), keys(json.get("interval")));
        assertEquals(0.9, json.get("interval").get("level").asDouble());
        long sum = 0;
        for (JsonNode line : json.get("device_lines")) {
            sum += line.get("bytes").asLong();
        }
        assertEquals(json.get("peak").get("device").asLong(), sum);
        json = json(Predictions.warned(List.of("one")));
        assertEquals("unmodelled", json.get("device_lines").get(0).get("kind").asText());
    }

    @Test
    void listsWarningsAndUnmodelledOperators() throws IOException {
        JsonNode json = json(Predictions.warned(List.of("one \"quoted\"", "two")));
        assertEquals("one \"quoted\"", json.get("warnings").get(0).asText());
        assertEquals(
                "aten.mystery", json.get("unmodelled").get(0).get("operator").asText());
        assertEquals(3, json.get("unmodelled").get(0).get("count").asInt());
    }

    private static List<String> keys(JsonNode node) {
        List<String> keys = new ArrayList<>();
        node.fieldNames().forEachRemaining(keys::add);
        return keys;
    }

    private static JsonNode json(Prediction p) throws IOException {
        StringWriter text = new StringWriter();
        JsonReport.write(p, text);
        assertEquals(1, text.toString().lines().count());
        return new ObjectMapper().readTree(text.toString());
    }
}
