package dev.headroom.app.sweep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.app.command.Main;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SweepCommandTest {
    private static final String MODEL = "../../fixtures/models/mlp-xor.pt2";
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private final StringWriter err = new StringWriter();
    private final StringWriter out = new StringWriter();

    private int headroom(Object... words) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        String[] args = new String[words.length];
        for (int i = 0; i < words.length; i++) {
            args[i] = words[i].toString();
        }
        return Main.run(new PrintWriter(out), new PrintWriter(err), args);
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private Path grid(String options) throws IOException {
        return file("grid.yaml", "model: " + MODEL + "\n" + options);
    }

    private List<JsonNode> rows(Path table) throws IOException {
        List<JsonNode> rows = new ArrayList<>();
        for (String line : Files.readAllLines(table)) {
            rows.add(JSON.readTree(line));
        }
        return rows;
    }

    @Test
    void rowsSayWhatPredictSays() throws IOException {
        Path grid = file(
                "grid.yaml",
                "- model: " + MODEL + "\n"
                        + "  batch: 1..4096 x8\n"
                        + "  optimizer: [sgd, adam]\n"
                        + "  amp: [null, bf16]\n"
                        + "  gpu: [rtx-3090, a100-40gb, a100-80gb]\n"
                        + "  in-use: [0GiB, 23GiB]\n"
                        + "- model: ../../fixtures/models/resnet18-i224.pt2\n"
                        + "  batch: [3, 640]\n"
                        + "  memory: [2GiB, 24GiB]\n");
        Path table = folder.resolve("out.jsonl");
        assertEquals(0, headroom("sweep", grid, "-o", table, "--jobs", 2));
        List<JsonNode> rows = rows(table);
        assertEquals(5 * 2 * 2 * 3 * 2 + 4, rows.size());
        for (int i = 0; i < rows.size(); i++) {
            JsonNode row = rows.get(i);
            assertEquals(i, row.get("row").asInt());
            JsonNode said = predicted(row);
            assertEquals(said.get("verdict").get("fits"), row.get("fits"));
            assertEquals(said.get("verdict").get("headroom"), row.get("headroom"));
            assertEquals(said.get("verdict").get("probability_oom"), row.get("probability_oom"));
            assertEquals(said.get("verdict").get("minimum_memory"), row.get("minimum_memory"));
            for (String peak : List.of("allocated", "reserved", "device")) {
                assertEquals(said.get("peak").get(peak), row.get("peak_" + peak));
            }
            said.get("at_peak")
                    .fieldNames()
                    .forEachRemaining(part -> assertEquals(said.get("at_peak").get(part), row.get(part), part));
        }
    }

    private JsonNode predicted(JsonNode row) throws IOException {
        List<Object> words = new ArrayList<>(List.of("predict", row.get("model").asText(), "--json"));
        for (String option : List.of("batch", "optimizer", "amp", "gpu", "in-use", "memory")) {
            if (!row.path(option).isNull() && !row.path(option).isMissingNode()) {
                words.addAll(List.of("--" + option, row.get(option).asText()));
            }
        }
        headroom(words.toArray());
        return JSON.readTree(out.toString());
    }

    @Test
    void everyFormatSaysTheSame() throws IOException {
        Path scenarios = file(
                "s.csv", "model,batch,gpu,fused,optimizer\n" + MODEL + ",4,rtx-3090,true,adam\n" + MODEL + ",,,,\n\n");
        for (String name : List.of("out.csv", "out.jsonl", "out.parquet")) {
            assertEquals(0, headroom("sweep", scenarios, "-o", folder.resolve(name)));
            assertFalse(Files.exists(folder.resolve(name + ".part")));
        }
        List<String> csv = Files.readAllLines(folder.resolve("out.csv"));
        JsonNode first = rows(folder.resolve("out.jsonl")).get(0);
        assertEquals(3, csv.size());
        List<String> names = new ArrayList<>();
        first.fieldNames().forEachRemaining(names::add);
        assertEquals(String.join(",", names), csv.get(0));
        assertEquals(first.get("peak_device").asText(), csv.get(1).split(",")[names.indexOf("peak_device")]);
        byte[] parquet = Files.readAllBytes(folder.resolve("out.parquet"));
        assertEquals("PAR1", new String(parquet, 0, 4, StandardCharsets.US_ASCII));
    }

    @Test
    void rowsThatCannotBeSayWhy() throws IOException {
        Path scenarios = file(
                "s.csv",
                "model,batch,gpu\n" + MODEL + ",4,rtx-309\n" + MODEL + ",x,\nnowhere.pt2,4,\n" + MODEL + ",4,\n");
        Path table = folder.resolve("out.jsonl");
        assertEquals(0, headroom("sweep", scenarios, "-o", table));
        List<JsonNode> rows = rows(table);
        assertTrue(rows.get(0).get("error").asText().contains("did you mean 'rtx-3090'?"));
        assertEquals(
                "--batch: 'x' is not a whole number", rows.get(1).get("error").asText());
        assertEquals("nowhere.pt2 does not exist", rows.get(2).get("error").asText());
        assertTrue(rows.get(3).get("error").isNull());
        assertTrue(out.toString().contains("3 failed"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bacth: [1, 2]|'bacth' is no option of headroom predict; did you mean 'batch'?",
                "batch: []|'batch' has no values",
                "batch: 8..1|holds no numbers",
                "batch: {a: 1}|a value is a word or a number",
                "batch: [1|: no YAML: ",
                "batch: 1..9999999\\noptimizer: [sgd, adam]|more than 10000000 combinations"
            })
    void gridsThatCannotBeGetOneLine(String options, String why) throws IOException {
        assertEquals(2, headroom("sweep", grid(options.replace("\\n", "\n")), "-o", folder.resolve("o.csv")));
        assertTrue(err.toString().contains(why), err.toString());
        assertEquals(1, err.toString().lines().count());
    }

    @Test
    void othersNeedAModelAndAName() throws IOException {
        assertEquals(2, headroom("sweep", file("g.yaml", "batch: 4"), "-o", folder.resolve("o.csv")));
        assertTrue(err.toString().contains("names no model"));
        assertEquals(2, headroom("sweep", grid("batch: 4"), "-o", folder.resolve("o.xls")));
        assertTrue(err.toString().contains("neither .csv nor .jsonl nor .parquet"));
        assertEquals(2, headroom("sweep", grid("batch: 4"), "-o", folder.resolve("o.csv"), "--shard", "9/8"));
        assertTrue(err.toString().contains("'9/8' is no part"));
    }

    @Test
    void shardsHaveEveryRowOnce() throws IOException {
        Path grid = grid("batch: 1..7\ngpu: [rtx-3090, a10]\n");
        Path whole = folder.resolve("whole.jsonl");
        headroom("sweep", grid, "-o", whole);
        TreeSet<Integer> seen = new TreeSet<>();
        int count = 0;
        for (int i = 1; i <= 3; i++) {
            Path part = folder.resolve("part" + i + ".jsonl");
            assertEquals(0, headroom("sweep", grid, "-o", part, "--shard", i + "/3"));
            for (JsonNode row : rows(part)) {
                seen.add(row.get("row").asInt());
                count++;
                assertEquals(rows(whole).get(row.get("row").asInt()).get("peak_reserved"), row.get("peak_reserved"));
            }
        }
        assertEquals(14, count);
        assertEquals(14, seen.size());
    }

    @Test
    void goesOnWhereItWasKilled() throws Exception {
        Path grid = grid("batch: 1..400\noptimizer: [sgd, adam, adamw]\n");
        Path whole = folder.resolve("whole.csv");
        assertEquals(0, headroom("sweep", grid, "-o", whole));
        Path table = folder.resolve("out.csv");
        Path journal = folder.resolve("out.csv.part");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath(),
                        Main.class.getName(),
                        "sweep",
                        grid.toString(),
                        "-o",
                        table.toString(),
                        "--jobs",
                        "1")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        while (process.isAlive() && (!Files.exists(journal) || Files.size(journal) < 20_000)) {
            Thread.sleep(5);
        }
        assertTrue(process.isAlive(), () -> "it was done too soon: " + log());
        process.destroyForcibly().waitFor(1, TimeUnit.MINUTES);
        assertFalse(Files.exists(table));
        Files.writeString(journal, "{\"row\":7,\"mod", StandardOpenOption.APPEND); // torn by the kill
        assertEquals(0, headroom("sweep", grid, "-o", table), err.toString());
        assertTrue(out.toString().contains("were done before"), out.toString());
        assertEquals(Files.readString(whole), Files.readString(table));
    }

    /** Of whoever runs the tests, in one loader or the process itself. */
    private static String classPath() {
        return Main.class.getClassLoader() instanceof URLClassLoader loader
                ? Stream.of(loader.getURLs()).map(URL::getPath).collect(Collectors.joining(File.pathSeparator))
                : System.getProperty("java.class.path");
    }

    private String log() {
        try {
            return Files.readString(folder.resolve("log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Test
    void anotherSweepsJournalIsLeftAlone() throws IOException {
        Path table = folder.resolve("out.csv");
        Files.writeString(folder.resolve("out.csv.part"), "{\"sweep\":\"x\"}\n".repeat(20));
        assertEquals(2, headroom("sweep", grid("batch: 1"), "-o", table));
        assertTrue(err.toString().contains("rows of another sweep"), err.toString());
    }

    @Test
    void paretoRowsTakeLeastForWhatTheyTrain() throws IOException {
        Path table = folder.resolve("out.jsonl");
        headroom("sweep", grid("batch: [1024, 2048]\noptimizer: [adam, sgd]\n"), "-o", table);
        List<Boolean> pareto =
                rows(table).stream().map(row -> row.get("pareto").asBoolean()).toList();
        assertEquals(List.of(false, true, false, true), pareto);
        assertTrue(out.toString().contains("row 3, batch 2048, optimizer sgd: "), out.toString());
    }

    @Test
    void drawsHeatMaps() throws IOException {
        Path grid = grid("batch: [8, 16]\nsteps: [2, 3]\nmemory: 24GiB\n");
        for (String name : List.of("map.svg", "map.png", "map.html")) {
            Path map = folder.resolve(name);
            assertEquals(0, headroom("sweep", grid, "-o", folder.resolve("o.csv"), "--heatmap", map), err.toString());
            assertTrue(Files.size(map) > 1000);
        }
        String page = Files.readString(folder.resolve("map.html"));
        assertTrue(page.contains("Device memory over batch and steps"), page);
        assertEquals(4, page.split("<td class=\"s\\d\">", -1).length - 1);
        assertEquals(2, headroom("sweep", grid("batch: 8"), "-o", folder.resolve("o.csv"), "--heatmap", "m.html"));
        assertTrue(err.toString().contains("needs two options"));
    }
}
