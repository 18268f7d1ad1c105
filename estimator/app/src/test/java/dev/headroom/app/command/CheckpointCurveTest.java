package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code headroom advise --checkpoints}: the curve, and that predict gives the same peaks. */
class CheckpointCurveTest {
    private static final String MODEL = "../../fixtures/models/mlp-xor.pt2";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(List<String> args) {
        out.getBuffer().setLength(0);
        return new Cli(Services.REAL, false)
                .run(new PrintWriter(out), new PrintWriter(err), args.toArray(String[]::new));
    }

    private JsonNode json(List<String> args) throws IOException {
        assertEquals(0, run(args), err::toString);
        return new ObjectMapper().readTree(out.toString());
    }

    @Test
    void predictGivesThePeaksOfTheCurve() throws IOException {
        JsonNode curve = json(List.of("advise", MODEL, "--batch", "20000", "--checkpoints", "--json"));
        assertTrue(curve.get("pareto").size() > 2);
        long before = Long.MAX_VALUE;
        for (JsonNode choice : curve.get("pareto")) {
            long peak = choice.get("peak_allocated").asLong();
            assertTrue(peak < before && peak >= curve.get("lower_bound").asLong());
            before = peak;
            List<String> args = new ArrayList<>(List.of("predict", MODEL, "--batch", "20000", "--json"));
            choice.get("checkpoint_modules").forEach(m -> args.addAll(List.of("--checkpoint-modules", m.asText())));
            args.addAll(
                    List.of("--checkpoint", choice.get("checkpoint").asText().replaceFirst("^0$", "none")));
            if (!choice.get("reentrant").isNull()) {
                args.addAll(List.of("--reentrant", choice.get("reentrant").asText()));
            }
            assertEquals(peak, json(args).get("peak").get("allocated").asLong(), args::toString);
        }
        JsonNode nested = curve.get("nested");
        assertTrue(
                nested.get("saves").asLong() >= 0 && nested.get("checkpoints").isArray(), nested::toString);
    }

    @Test
    void thePageOfATerminalHoldsIt() {
        assertEquals(0, run(List.of("advise", MODEL, "--batch", "20000", "--checkpoints")), err::toString);
        String text = out.toString();
        assertTrue(text.lines().allMatch(line -> line.length() <= 79), text);
        assertTrue(text.contains("store all") && text.contains("needs less than"), text);
    }

    @Test
    void refusesWhatDoesNotGoTogether() {
        assertEquals(2, run(List.of("advise", MODEL, "--batch", "8", "--checkpoints", "--max-batch")));
        assertTrue(err.toString().contains("--checkpoints cannot be combined with --max-batch"), err::toString);
    }
}
