package dev.headroom.model.adapter.peft.layer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.adapter.AdapterMethod;
import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.Adapters;
import dev.headroom.model.adapter.peft.graph.Surroundings;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MethodsTest {
    private static Graph adapted(AdapterMethod method, Integer size, String... targets) {
        Graph graph = Model.of(
                        "small",
                        Sequential.of(
                                Layers.embedding(100, 12),
                                Layers.linear(12, 24),
                                Layers.relu(),
                                Layers.linear(24, 6, false)))
                .input("ids", DType.INT64, Model.BATCH, 5)
                .graph();
        AdapterOptions options =
                AdapterOptions.NONE.withMethod(method).withSize(size).withTargets(List.of(targets));
        return Adapters.rewrite(graph, options, Surroundings.of(graph, null, null, true));
    }

    /** Sizes of what peft adds, by name. */
    private static Map<String, String> added(Graph graph) {
        Map<String, String> out = new TreeMap<>();
        graph.held().tensors().forEach((name, t) -> {
            if (t.added()) {
                List<Long> sizes =
                        t.meta().sizes().stream().map(s -> s.evaluate(Map.of())).toList();
                out.put(name, sizes + (t.meta().requiresGrad() ? "" : " frozen"));
            }
        });
        return out;
    }

    @Test
    void veraSharesItsMatricesAndMakesThemAsWideAsTheWidest() {
        assertEquals(
                Map.of(
                        "1.vera_lambda_b.default", "[24]",
                        "1.vera_lambda_d.default", "[4]",
                        "1.vera_A.default", "[4, 24] frozen",
                        "1.vera_B.default", "[24, 4] frozen",
                        "3.vera_lambda_b.default", "[6]",
                        "3.vera_lambda_d.default", "[4]"),
                added(adapted(AdapterMethod.VERA, 4, "1", "3")));
    }

    @Test
    void adaloraHasADiagonalAndItsRanks() {
        assertEquals(
                Map.of(
                        "3.lora_A.default", "[12, 24]",
                        "3.lora_B.default", "[6, 12]",
                        "3.lora_E.default", "[12, 1]",
                        "3.ranknum.default", "[1]"),
                added(adapted(AdapterMethod.ADALORA, null, "3")));
    }

    @Test
    void lohaHasFourMatrices() {
        assertEquals(
                Map.of(
                        "1.hada_w1_a.default", "[24, 2]",
                        "1.hada_w1_b.default", "[2, 12]",
                        "1.hada_w2_a.default", "[24, 2]",
                        "1.hada_w2_b.default", "[2, 12]"),
                added(adapted(AdapterMethod.LOHA, 2, "1")));
    }

    @Test
    void lokrSplitsTheLargerMatrixOnlyForRanksThatAreLess() {
        assertEquals(
                Map.of(
                        "1.lokr_w1.default", "[4, 3]",
                        "1.lokr_w2_a.default", "[6, 2]",
                        "1.lokr_w2_b.default", "[2, 4]"),
                added(adapted(AdapterMethod.LOKR, 2, "1")));
        assertEquals(
                Map.of("1.lokr_w1.default", "[4, 3]", "1.lokr_w2.default", "[6, 4]"),
                added(adapted(AdapterMethod.LOKR, 3, "1")));
    }

    @ParameterizedTest
    @CsvSource({"576, 24, 24", "128, 8, 16", "127, 1, 127", "12, 3, 4"})
    void factorsAreAsNearAsTheyCanBe(long number, long small, long large) {
        assertArrayEquals(new long[] {small, large}, DeltaLayer.factors(number));
    }

    @Test
    void oftTurnsBlocksOfInputs() {
        assertEquals(
                Map.of(
                        "1.oft_R.default.weight", "[3, 6]",
                        "1.oft_R.default.rows", "[6] frozen",
                        "1.oft_R.default.cols", "[6] frozen"),
                added(adapted(AdapterMethod.OFT, 4, "1")));
    }

    @ParameterizedTest
    @CsvSource({"896, 48, 56", "576, 32, 32", "12, 32, 12", "100, 30, 25"})
    void blocksThatDoNotDivideInputsAreChanged(long in, long asked, long taken) {
        assertEquals(taken, OftLayer.divisor(in, asked));
    }

    @ParameterizedTest
    @CsvSource({"ADALORA", "LOHA", "LOKR", "VERA", "OFT"})
    void embeddingsAreRefusedInOneLine(AdapterMethod method) {
        String message = assertThrows(UserInputException.class, () -> adapted(method, null, "0", "1"))
                .getMessage();
        assertTrue(message.contains("'0' is an embedding"), message);
        assertEquals(1, message.lines().count());
    }

    @Test
    void promptsNeedTextsThatAreEmbedded() {
        String message = assertThrows(UserInputException.class, () -> adapted(AdapterMethod.PROMPT_TUNING, 4))
                .getMessage();
        assertTrue(message.contains("config.json"), message);
    }
}
