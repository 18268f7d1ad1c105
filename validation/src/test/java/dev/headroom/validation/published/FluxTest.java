package dev.headroom.validation.published;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.app.command.Main;
import dev.headroom.fixtures.Fixtures;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A diffusion transformer that peft's methods fine-tune, on a real L40S. */
class FluxTest {
    private static final double NEAR = 0.01;

    private static final String TARGETS = "to_out.0,to_add_out,to_qkv_mlp_proj,add_k_proj,add_q_proj,add_v_proj,"
            + "to_k,to_q,to_v,linear_in,linear_out";

    /** Squared error, clipped gradients, a checkpoint a block, as the repository's run.py has them. */
    private static final String RUN = "--loss mse --max-norm 1 --checkpoint-modules transformer_blocks.*"
            + " --checkpoint-modules single_transformer_blocks.* --gpu l40s --json";

    /** @param afterStep allocated bytes after a step, the mean of the first 250 */
    record Row(String method, String options, long reserved, long afterStep) {
        @Override
        public String toString() {
            return method;
        }
    }

    static List<Row> rows() throws IOException {
        return Files.readAllLines(Fixtures.folder().resolve("published").resolve("flux.csv")).stream()
                .skip(2)
                .map(line -> line.split(";", -1))
                .map(c -> new Row(c[0], c[1], Long.parseLong(c[2]), Long.parseLong(c[3])))
                .toList();
    }

    /**
     * What lies on the card beside the model, which is an image encoder and cached prompts, is the difference after a
     * step: the same 461 MB in every row. It was there before training began.
     */
    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void reservedIsNear(Row row) throws IOException {
        JsonNode answer = predict(row);
        List<JsonNode> optimizer = new ArrayList<>();
        answer.get("phases").forEach(phase -> {
            if (phase.get("phase").asText().equals("optimizer")) {
                optimizer.add(phase);
            }
        });
        long beside = row.afterStep() - optimizer.get(2).get("allocated").asLong();
        assertEquals(459e6, beside, 4e6, row.method());
        double off = (double) (answer.get("peak").get("reserved").asLong() + beside) / row.reserved() - 1;
        assertTrue(Math.abs(off) <= NEAR, row + ": " + off);
    }

    private static JsonNode predict(Row row) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                "predict",
                Fixtures.models()
                        .resolve("published")
                        .resolve("flux2-klein.pt2")
                        .toString()));
        words.addAll(List.of(RUN.split(" ")));
        if (!row.options().isEmpty()) {
            words.addAll(List.of(row.options().replace("TARGETS", TARGETS).split(" ")));
        }
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.run(new PrintWriter(out), new PrintWriter(err), words.toArray(String[]::new));
        assertEquals(0, status, err::toString);
        return new ObjectMapper().readTree(out.toString());
    }
}
