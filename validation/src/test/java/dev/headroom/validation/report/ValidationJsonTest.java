package dev.headroom.validation.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.validation.runs.Scores;
import dev.headroom.validation.runs.Validation;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ValidationJsonTest {
    private static JsonNode json() throws JsonProcessingException {
        Validation validation = MadeUp.validation();
        StringWriter out = new StringWriter();
        ValidationJson.write(validation, Scores.of(validation.outcomes()), List.of("too far off"), out);
        return new ObjectMapper().readTree(out.toString());
    }

    private static List<String> keys(JsonNode node) {
        List<String> out = new ArrayList<>();
        node.fieldNames().forEachRemaining(out::add);
        return out;
    }

    @Test
    void theKeysAreThoseThatAreDocumented() throws JsonProcessingException {
        JsonNode json = json();
        assertEquals(
                List.of(
                        "seconds",
                        "errors",
                        "by_source",
                        "by_model",
                        "by_gpu",
                        "verdicts",
                        "coverage",
                        "estimators",
                        "exceeded",
                        "outcomes",
                        "skipped"),
                keys(json));
        assertEquals(List.of("all", "allocated", "reserved", "device"), keys(json.path("errors")));
        assertEquals(
                List.of(
                        "source",
                        "name",
                        "model",
                        "gpu",
                        "exact",
                        "peaks",
                        "verdict",
                        "interval",
                        "phases",
                        "divergence",
                        "others"),
                keys(json.path("outcomes").path(0)));
    }

    @Test
    void figuresAreThoseOfTheOutcomes() throws JsonProcessingException {
        JsonNode json = json();
        JsonNode run = json.path("outcomes").path(0);
        assertEquals(110, run.at("/peaks/reserved/predicted").asLong());
        assertEquals(0.1, run.at("/peaks/reserved/error").asDouble(), 1e-12);
        assertEquals(0.02, run.at("/verdict/probability_oom").asDouble());
        assertTrue(run.at("/interval/covers").asBoolean());
        assertEquals(0.5, run.at("/others/rival/peak/error").asDouble(), 1e-12);
        assertEquals(0.1, json.at("/errors/all/worst").asDouble(), 1e-12);
        assertEquals(2, json.at("/errors/all/runs").asInt());
        assertEquals(1, json.at("/errors/reserved/runs").asInt());
        assertEquals(1, json.at("/verdicts/missed").asInt());
        assertEquals(1, json.at("/coverage/covered").asInt());
        assertEquals("headroom", json.at("/estimators/0/name").asText());
        assertEquals("rival", json.at("/estimators/1/name").asText());
        assertEquals("too far off", json.at("/exceeded/0").asText());
        assertEquals("unreadable", json.at("/skipped/0/cause").asText());
    }

    @Test
    void whatIsNotKnownIsNull() throws JsonProcessingException {
        JsonNode json = json();
        assertTrue(json.at("/errors/device/median").isNull());
        assertTrue(json.at("/outcomes/1/verdict/probability_oom").isNull());
        assertTrue(json.at("/outcomes/1/interval").isNull());
        assertFalse(json.at("/outcomes/1/peaks").elements().hasNext());
    }
}
