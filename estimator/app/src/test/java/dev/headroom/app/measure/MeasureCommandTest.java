package dev.headroom.app.measure;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.app.command.Subcommand;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class MeasureCommandTest {
    private record Result(int status, String out, String err, Exception failure) {}

    private static Path model() {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(root.resolve("fixtures"))) {
            root = root.getParent();
        }
        return root.resolve("fixtures/models/cnn-small.pt2");
    }

    private static Result run(String... options) {
        List<String> args = new ArrayList<>(List.of(model().toString(), "--batch", "2", "--optimizer", "sgd"));
        args.addAll(List.of(options));
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Exception[] failure = new Exception[1];
        CommandLine line = new CommandLine(new MeasureCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err));
        line.setExecutionExceptionHandler((e, unused, result) -> {
            failure[0] = e;
            return -1;
        });
        int status = line.execute(args.toArray(String[]::new));
        return new Result(status, out.toString(), err.toString(), failure[0]);
    }

    @Test
    void commandLineFindsTheCommand() {
        assertTrue(ServiceLoader.load(Subcommand.class).stream().anyMatch(p -> p.type() == MeasureCommand.class));
    }

    @Test
    void computesOnTheHost() throws JsonProcessingException {
        Result r = run("--backend", "host", "--loss", "sum", "--steps", "1", "--json");
        assertEquals(0, r.status(), () -> r.err() + r.failure());
        JsonNode json = new ObjectMapper().readTree(r.out());
        JsonNode measured = json.path("measured");
        assertEquals("host", measured.path("backend").asText());
        assertTrue(measured.path("numbers_are_real").asBoolean());
        assertEquals(1, measured.path("loss").size());
        assertTrue(Math.abs(measured.path("loss").get(0).asDouble()) > 1e-3);
        assertEquals(7, measured.path("phases").size());
        assertEquals("cnn-small", json.path("predicted").path("model").asText());
        assertTrue(measured.path("oom").isNull());
        assertTrue(measured.path("device").isNull());
        List<String> workspaces = new ArrayList<>();
        measured.path("workspaces").forEach(w -> workspaces.add(w.path("name").asText()));
        assertTrue(workspaces.contains("cuBLAS workspace"), workspaces::toString);
        long shares = 0;
        for (JsonNode layer : measured.path("layers")) {
            shares += layer.path("rounded").asLong();
        }
        assertEquals(measured.path("peak").path("allocated").asLong(), shares);
    }

    @Test
    void withoutKernelsMemoryIsTheSameAndNumbersAreNot() throws JsonProcessingException {
        ObjectMapper mapper = new ObjectMapper();
        JsonNode none = mapper.readTree(run("--backend", "none", "--loss", "sum", "--steps", "1", "--json")
                        .out())
                .path("measured");
        JsonNode host = mapper.readTree(run("--backend", "host", "--loss", "sum", "--steps", "1", "--json")
                        .out())
                .path("measured");
        assertFalse(none.path("numbers_are_real").asBoolean());
        assertEquals(0, none.path("loss").size());
        assertEquals(host.path("phases"), none.path("phases"));
        assertEquals(host.path("layers"), none.path("layers"));
    }

    @Test
    void saysWhereMemoryRanOut() throws JsonProcessingException {
        Result r = run("--backend", "none", "--loss", "sum", "--limit", "100MiB", "--json");
        assertEquals(3, r.status());
        JsonNode json = new ObjectMapper().readTree(r.out());
        JsonNode oom = json.path("measured").path("oom");
        assertEquals("backward", oom.path("phase").asText());
        assertEquals(0, oom.path("step").asInt());
        assertEquals("out", oom.path("module").asText());
        assertTrue(oom.path("operator").asText().startsWith("cuBLAS"), oom::toString);
        assertEquals(32L << 20, oom.path("requested").asLong());
        assertTrue(json.path("difference").path("same_end").asBoolean());
        Result text = run("--backend", "none", "--loss", "sum", "--limit", "100MiB");
        assertTrue(
                text.out()
                        .startsWith(
                                "Out of memory in backward of step 0, where cuBLAS workspace of out needed 33554432"),
                text::out);
    }

    @Test
    void tableFitsATerminal() {
        Result r = run("--backend", "none", "--loss", "sum", "--steps", "9");
        assertEquals(0, r.status());
        r.out().lines().forEach(line -> assertTrue(line.length() < 80, line));
        for (String part : List.of("load inputs", "step 8 optimizer", "...", "peak", "cuBLAS workspace")) {
            assertTrue(r.out().contains(part), () -> part + " is not in " + r.out());
        }
        assertFalse(r.out().contains("step 4"), r::out);
        assertFalse(r.out().contains("loss on random data"), r::out);
        String computed =
                run("--backend", "host", "--loss", "sum", "--steps", "1").out();
        assertTrue(computed.contains("loss on random data: "), computed);
    }

    @ParameterizedTest
    @CsvSource({
        "--torch, 2.6, PyTorch",
        "--cudnn-workspace, 1MiB, leave it out",
        "--backend, hast, did you mean 'host'",
        "--backend, gpu, it takes",
    })
    void refusesWhatARunCannotHonour(String option, String value, String advice) {
        Result r = run("--loss", "sum", option, value);
        assertTrue(r.failure() instanceof UserInputException, () -> String.valueOf(r.failure()));
        String message = r.failure().getMessage();
        assertEquals(1, message.lines().count());
        assertTrue(message.contains(option) && message.contains(advice), message);
    }

    @Test
    void hostHasNoVirtualMemory() {
        Result r = run("--loss", "sum", "--backend", "host", "--alloc-conf", "expandable_segments:True");
        assertTrue(r.failure() instanceof UserInputException, () -> String.valueOf(r.failure()));
        assertTrue(r.failure().getMessage().contains("take --backend none"), r.failure()::getMessage);
    }

    @Test
    void refusesWhatDoesNotFitIntoTheHeap() {
        Graph graph = Importers.read(model());
        Scenario run = Scenario.defaults().with(BATCH, 4L);
        HostHeap.check(graph, run, 200L << 20, 1L << 30);
        UserInputException heap =
                assertThrows(UserInputException.class, () -> HostHeap.check(graph, run, 2L << 30, 1L << 30));
        assertTrue(heap.getMessage().contains("has 1.00 GiB; take a smaller --batch"), heap::getMessage);
        Scenario large = run.with(BATCH, 1L << 20);
        UserInputException arrays =
                assertThrows(UserInputException.class, () -> HostHeap.check(graph, large, 0, Long.MAX_VALUE));
        assertTrue(arrays.getMessage().contains("2 GiB"), arrays::getMessage);
        assertEquals(1, arrays.getMessage().lines().count());
    }

    @Test
    void everyRankIsComparedWithItsPrediction() throws JsonProcessingException {
        Result r = run(
                "--backend",
                "host",
                "--loss",
                "mse",
                "--parallel",
                "ddp",
                "--world",
                "3",
                "--zero-optimizer",
                "--json");
        assertEquals(0, r.status(), () -> r.err() + r.failure());
        JsonNode ranks = new ObjectMapper().readTree(r.out()).path("ranks");
        assertEquals(3, ranks.size());
        ranks.forEach(rank -> assertTrue(rank.path("equal").asBoolean(), rank::toString));
        Result none = run("--backend", "none", "--parallel", "ddp", "--world", "2", "--strict");
        assertEquals(0, none.status(), () -> none.err() + none.failure());
        assertTrue(none.out().contains("2 ranks ran"), none.out());
    }

    @ParameterizedTest
    @CsvSource({"fsdp1, one GPU", "zero1, one GPU", "dp, one GPU"})
    void otherWaysToShareWorkAreRefused(String kind, String why) {
        Result r = run("--backend", "host", "--parallel", kind, "--world", "2");
        assertTrue(r.failure() instanceof UserInputException, () -> r.out() + r.failure());
        assertTrue(r.failure().getMessage().contains(why), r.failure()::getMessage);
    }
}
