package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code headroom advise} as a process would run it. */
class AdviseTest {
    private static final List<String> DEVICE =
            List.of("--gpu", "rtx-3060", "--limit", "60MiB", "--cudnn-workspace", "none");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private static String model(String name) {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path file = at.resolve("fixtures").resolve("models").resolve(name + ".pt2");
            if (Files.exists(file)) {
                return file.toString();
            }
        }
        throw new IllegalStateException("no fixtures/models/" + name + ".pt2");
    }

    private int run(List<String> words) {
        out.getBuffer().setLength(0);
        return new Cli(Services.REAL, true)
                .run(new PrintWriter(out), new PrintWriter(err), words.toArray(String[]::new));
    }

    private JsonNode json(List<String> words) throws Exception {
        List<String> all = new ArrayList<>(words);
        all.addAll(DEVICE);
        all.add("--json");
        run(all);
        return new ObjectMapper().readTree(out.toString());
    }

    /** What is printed as the options of a plan is what was simulated. */
    @ParameterizedTest
    @ValueSource(strings = {"small/resnet18", "small/gpt2"})
    void theArgumentsOfEveryPlanGiveItsPeak(String name) throws Exception {
        JsonNode advice = json(List.of("advise", model(name), "--batch", "512", "--drop-outputs"));
        assertFalse(advice.get("plans").isEmpty(), err.toString());
        for (JsonNode plan : advice.get("plans")) {
            List<String> words = new ArrayList<>(List.of("predict", model(name)));
            plan.get("arguments").forEach(word -> words.add(word.asText()));
            words.addAll(List.of("--gpu", "rtx-3060", "--limit", "60MiB", "--json"));
            assertEquals(0, run(words), words + err.toString());
            JsonNode prediction = new ObjectMapper().readTree(out.toString());
            assertEquals(plan.get("peak"), prediction.get("peak"));
            assertEquals(plan.get("scenario"), prediction.get("scenario"));
        }
    }

    /** The sequence length of a model from a config is no size that is open beside the batch. */
    @Test
    void theLargestBatchOfAModelByNameIsFound() {
        List<String> words = new ArrayList<>(List.of("advise", "smollm2-135m", "--set", "num_hidden_layers=1"));
        words.addAll(List.of("--batch", "2", "--seq", "64", "--gpu", "rtx-3060", "--limit", "1GiB"));
        assertEquals(0, run(words), err.toString());
        assertTrue(out.toString().matches("(?s).*Largest batch +\\d{2,} \\(\\d+ does not fit\\).*"), out.toString());
    }

    /** Each length is read from the config anew, and a model that learns its positions takes no longer texts. */
    @Test
    void theLongestSequenceOfAModelByNameIsFound() {
        String all = "advise gpt2 --set n_layer=1 --batch 1 --seq 64 --gpu rtx-3060 --limit ";
        assertEquals(0, run(List.of((all + "8GiB").split(" "))), err.toString());
        assertTrue(out.toString().contains("Largest seq             1024 (1025 is more than the model takes)"));
        assertEquals(0, run(List.of((all + "1300MiB").split(" "))), err.toString());
        assertTrue(out.toString().matches("(?s).*Largest seq +[2-9]\\d\\d \\(\\d+ does not fit\\).*"), out.toString());
    }

    @Test
    void thePlansStandInTheReport() {
        List<String> words = new ArrayList<>(List.of("advise", model("small/gpt2"), "--batch", "512"));
        words.addAll(DEVICE);
        assertEquals(0, run(words));
        String text = out.toString();
        assertTrue(text.startsWith("Does not fit on"), text);
        assertTrue(text.contains("Largest batch  ") && text.contains(" does not fit)"), text);
        assertTrue(text.contains("1. ") && text.contains("price: ") && text.contains("options: --batch"), text);
        text.lines().filter(line -> !line.startsWith("       ")).forEach(line -> assertTrue(line.length() <= 79, line));
    }

    @Test
    void theStatusSaysWhetherThereIsAWay() {
        assertEquals(3, run(List.of("advise", model("small/gpt2"), "--batch", "512", "--limit", "12MiB")));
        assertTrue(out.toString().contains("Nothing that was tried makes it fit."), out.toString());
        assertEquals(0, run(List.of("advise", model("small/gpt2"), "--max-batch", "--limit", "100MiB")));
        assertEquals(2, run(List.of("advise", model("small/gpt2"), "--batch", "512")));
        assertTrue(err.toString().contains("--gpu NAME"), err.toString());
        assertEquals(2, run(List.of("advise", model("small/gpt2"), "--max-batch", "--keep-batch", "--limit", "60MiB")));
    }
}
