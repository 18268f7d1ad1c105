package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ReplayTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String SNAPSHOT = "snapshots/resnet18-b4-i64-sgd.pickle.gz";
    private static final String LIMITED = "recordings/allocator/traces/resnet18-b64-adamw-limit1900m.json.gz";
    private static final String OOM = "recordings/allocator/traces/resnet18-b64-expandable-oom.json.gz";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    static Stream<Path> programs() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String folder : List.of("allocator", "allocator/more")) {
            try (Stream<Path> found = Files.list(Path.of(fixture("recordings")).resolve(folder))) {
                found.filter(f -> f.toString().endsWith(".json.gz")).sorted().forEach(files::add);
            }
        }
        return files.stream();
    }

    @ParameterizedTest
    @MethodSource("programs")
    void printsTheStatesOfAProgram(Path file) throws IOException {
        assertEquals(0, run("replay", file.toString(), "--json"), err::toString);
        assertEquals("", err.toString());
        JsonNode printed = MAPPER.readTree(out.toString());
        assertEquals(1, printed.size());
        JsonNode recorded = json(file).get("states");
        for (int i = 0; i < recorded.size(); i++) {
            assertEquals(recorded.get(i), printed.get("states").path(i), "state " + i);
        }
        assertEquals(recorded.size(), printed.get("states").size());
    }

    static Stream<Path> traces() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String folder : List.of("allocator/traces", "traces")) {
            try (Stream<Path> found = Files.list(Path.of(fixture("recordings")).resolve(folder))) {
                found.filter(f -> f.toString().endsWith(".json.gz")).sorted().forEach(files::add);
            }
        }
        return files.stream();
    }

    @ParameterizedTest
    @MethodSource("traces")
    void theRecordedSettingsGiveTheRecordedPeaks(Path file) throws IOException {
        JsonNode recorded = json(file);
        run("replay", file.toString(), "--json");
        JsonNode first = MAPPER.readTree(out.toString()).get("settings").get(0);
        assertTrue(first.get("as_recorded").asBoolean());
        assertEquals(
                recorded.get("final").get("max_reserved"), first.get("peak").get("reserved"));
        assertEquals(
                recorded.get("final").get("max_allocated"), first.get("peak").get("allocated"));
        assertEquals(recorded.get("final").get("num_alloc_retries"), first.get("retries"));
        assertEquals(recorded.get("final").get("num_ooms"), first.get("ooms"));
        assertEquals(recorded.has("oom"), first.get("oom").isObject());
    }

    /** PyTorch's own figures of the run are 166003200 and 186646528 bytes. */
    @Test
    void comparesSettingsForASnapshot() throws IOException {
        JsonNode report = report(SNAPSHOT, "--alloc-conf", "max_split_size_mb:32", "--alloc-conf", "");
        JsonNode settings = report.get("settings");
        assertEquals(
                "{\"allocated\":166003200,\"reserved\":186646528}",
                settings.get(0).get("peak").toString());
        List<String> confs = settings.findValuesAsText("alloc_conf");
        assertTrue(confs.contains("max_split_size_mb:32"));
        assertEquals(confs.stream().distinct().toList(), confs);
        assertFalse(confs.toString().contains("garbage_collection"), "without a limit there is nothing to collect for");
        for (JsonNode row : settings) {
            assertTrue(row.get("fits").asBoolean());
            long reserved = row.get("peak").get("reserved").asLong();
            assertEquals(
                    Math.max(0, reserved - row.get("ideal_reserved").asLong()),
                    row.get("fragmentation").asLong());
            assertTrue(reserved >= best(report).get("peak").get("reserved").asLong());
        }
        assertEquals("expandable_segments:True", report.get("best").asText());
        assertTrue(report.get("device").isNull() && report.get("limit").isNull());
    }

    @Test
    void equalPeaksGoToTheSimplerSetting() throws IOException {
        JsonNode report = report("recordings/allocator/default-tiny.json.gz", "--limit", "1GiB");
        // Everything lives in one segment of 2 MiB, so that no option is of use: with --json the states are printed.
        assertTrue(report.has("states"));
        assertEquals(0, run("replay", fixture("recordings/allocator/default-tiny.json.gz")));
        assertTrue(
                out.toString().contains("Best: as recorded (default) reserves 2.00 MiB; no other setting needs less"),
                out::toString);
    }

    @Test
    void theRecordedLimitCountsUntilAnotherOrADeviceIsNamed() throws IOException {
        JsonNode recorded = report(LIMITED);
        assertTrue(recorded.get("limit").asLong() > 0);
        assertTrue(
                recorded.get("settings").findValuesAsText("alloc_conf").contains("garbage_collection_threshold:0.8"));
        assertEquals(2L << 30, report(LIMITED, "--limit", "2GiB").get("limit").asLong());
        JsonNode device = report(LIMITED, "--gpu", "rtx-3060", "--in-use", "1GiB");
        assertTrue(device.get("limit").isNull());
        assertEquals("rtx-3060", device.get("device").get("gpu").asText());
        assertEquals(0, device.get("settings").get(0).get("retries").asLong());
    }

    @Test
    void nothingGetsThroughIsStatusThree() throws IOException {
        assertEquals(3, run("replay", fixture(SNAPSHOT), "--limit", "100MiB"), err::toString);
        assertTrue(out.toString().startsWith("None of these settings gets through within 100.00 MiB"));
        assertTrue(out.toString().contains("OOM") && out.toString().contains("default: out of memory"));
        JsonNode report = report(SNAPSHOT, "--memory", "100MiB");
        assertTrue(report.get("best").isNull());
        assertTrue(report.get("settings").get(0).get("oom").get("requested").asLong() > 0);
        assertEquals(0, run("replay", fixture(OOM), "--limit", "4GiB"));
        assertTrue(out.toString().contains("the recorded run itself ran out of memory"));
    }

    @Test
    void theTableFitsATerminal() throws IOException {
        for (String file : List.of(SNAPSHOT, LIMITED, OOM)) {
            run("replay", fixture(file));
            assertTrue(out.toString().lines().allMatch(line -> line.length() <= 79), out::toString);
            assertTrue(out.toString().lines().count() <= 23);
        }
    }

    /** Up to 2.12 the lowest address wins between free blocks of equal size, later the oldest segment. */
    @Test
    void versionsOfPyTorchDiffer() throws IOException {
        String program = fixture("recordings/allocator/default-mixed-limit2g.json.gz");
        assertEquals(0, run("replay", program, "--json"));
        String newest = out.toString();
        assertEquals(0, run("replay", program, "--json", "--torch", "2.14"));
        assertEquals(newest, out.toString());
        assertEquals(0, run("replay", program, "--json", "--torch", "2.6"));
        assertFalse(newest.equals(out.toString()));
    }

    @Test
    void statesUnderOtherSettings() throws IOException {
        String program = fixture("recordings/allocator/default-small.json.gz");
        assertEquals(0, run("replay", program, "--json", "--alloc-conf", "expandable_segments:True"));
        assertTrue(out.toString().contains("\"expandable\":true"));
        assertEquals(0, run("replay", program, "--json", "--limit", "2MiB"));
        JsonNode states = MAPPER.readTree(out.toString()).get("states");
        assertTrue(states.get(states.size() - 1).get("failed").asLong() > 0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "|FILE",
                "missing.pickle|missing.pickle does not exist",
                ".|is a directory",
                "@ --alloc-conf nonsense:1|--alloc-conf: ",
                "@ --alloc-conf backend:cudaMallocAsync|--alloc-conf: ",
                "@ --torch newest|--torch: 'newest' is not a version",
                "@ --torch 1.13|2.1 is the oldest",
                "@ --limit 4X|--limit: '4X' is not a size",
                "@ --gpu cray-1|--gpu: 'cray-1' is not in the catalogue",
                "@ --memory 1GiB --in-use 1GiB|leave nothing",
                "@ --in-use 1GiB|--in-use needs a device",
                "@ --batch 3|unknown option '--batch'",
                "@ --json --alloc-conf a --alloc-conf b|--alloc-conf: ",
            })
    void refusesInOneLine(String arguments, String part) throws IOException {
        String file = fixture("recordings/allocator/default-tiny.json.gz");
        List<String> words = new ArrayList<>(List.of("replay"));
        if (arguments != null) {
            Stream.of(arguments.split(" ")).map(w -> w.replace("@", file)).forEach(words::add);
        }
        refused(part, words.toArray(new String[0]));
    }

    @Test
    void aPredictedRunCanBeReplayed(@TempDir Path folder) throws IOException {
        Path snapshot = folder.resolve("run.pickle");
        String model = fixture("models/resnet18-i224.pt2");
        assertEquals(0, run("predict", model, "--batch", "4", "--json", "--snapshot", snapshot.toString()));
        assertEquals("", err.toString());
        JsonNode predicted = MAPPER.readTree(out.toString()).get("peak");
        assertEquals(0, run("replay", snapshot.toString(), "--json"));
        JsonNode first = MAPPER.readTree(out.toString()).get("settings").get(0).get("peak");
        assertEquals(predicted.get("allocated"), first.get("allocated"));
        assertEquals(predicted.get("reserved"), first.get("reserved"));
        String nowhere = folder.resolve("none/run.pickle").toString();
        refused("--snapshot: ", "predict", model, "--batch", "4", "--snapshot", nowhere);
    }

    @Test
    void statesAreThoseOfOneSetting() throws IOException {
        refused(
                "give one",
                "replay",
                fixture("recordings/allocator/default-tiny.json.gz"),
                "--json",
                "--alloc-conf",
                "",
                "--alloc-conf",
                "max_split_size_mb:64");
    }

    private void refused(String part, String... words) {
        assertEquals(2, run(words), err::toString);
        assertEquals("", out.toString());
        assertEquals(1, err.toString().lines().count(), err::toString);
        assertTrue(err.toString().startsWith("headroom: ") && err.toString().contains(part), err::toString);
    }

    private JsonNode report(String file, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of("replay", fixture(file), "--json"));
        words.addAll(List.of(more));
        run(words.toArray(new String[0]));
        return MAPPER.readTree(out.toString());
    }

    private static JsonNode best(JsonNode report) {
        for (JsonNode row : report.get("settings")) {
            if (row.get("alloc_conf").equals(report.get("best"))) {
                return row;
            }
        }
        throw new AssertionError("no best");
    }

    private int run(String... words) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return new Cli(Services.REAL, false).run(new PrintWriter(out), new PrintWriter(err), words);
    }

    private static String fixture(String name) {
        return TestFiles.fixtures().resolve(name).toString();
    }

    private static JsonNode json(Path file) throws IOException {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            return MAPPER.readTree(in);
        }
    }
}
