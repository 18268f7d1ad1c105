package dev.headroom.validation.generate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A random case and what the real PyTorch allocated in it, as {@code fixtures/random/README.md} describes.
 *
 * @param phases the allocator at the end of each
 * @param error why there are none, or ""
 * @param trace every allocation and free, where they were recorded, else a missing node
 * @param madeBy who made each allocation
 */
public record RecordedCase(RandomCase asked, List<PhaseMemory> phases, String error, JsonNode trace, JsonNode madeBy) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Reads a file of gzipped lines. */
    public static List<RecordedCase> read(Path file) {
        List<RecordedCase> out = new ArrayList<>();
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                out.add(of(JSON.readTree(line)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
        return out;
    }

    private static RecordedCase of(JsonNode line) throws IOException {
        List<PhaseMemory> phases = new ArrayList<>();
        for (JsonNode p : line.path("phases")) {
            Moment moment = new Moment(
                    Phase.of(p.get(0).asText()).orElseThrow(),
                    p.get(1).isNull() ? null : p.get(1).asInt(),
                    p.get(2).isNull() ? null : p.get(2).asInt());
            phases.add(new PhaseMemory(
                    moment,
                    p.get(3).asLong(),
                    p.get(4).asLong(),
                    p.get(5).asLong(),
                    p.get(6).asLong()));
        }
        RandomCase asked = new RandomCase(
                JSON.treeToValue(line.get("model"), RandomModel.class),
                JSON.treeToValue(line.get("run"), RandomRun.class));
        return new RecordedCase(asked, phases, line.path("error").asText(), line.path("trace"), line.path("made_by"));
    }

    /** The same run, simulated. */
    public Simulation simulate() {
        return Predictor.simulate(
                new PredictionRequest(asked.graph(), asked.run().training()));
    }

    /** The first phase, or event where there is a trace, in which a simulation differs, as text, or {@code null}. */
    public @Nullable String difference(Simulation simulated) {
        List<PhaseMemory> mine = simulated.phases();
        for (int i = 0; i < Math.min(mine.size(), phases.size()); i++) {
            if (!mine.get(i).equals(phases.get(i))) {
                return "recorded  " + phases.get(i) + "\nsimulated " + mine.get(i);
            }
        }
        return mine.size() == phases.size() ? null : "recorded " + phases.size() + " phases, simulated " + mine.size();
    }
}
