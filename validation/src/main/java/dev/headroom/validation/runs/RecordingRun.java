package dev.headroom.validation.runs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.estimator.certainty.Certainty;
import dev.headroom.estimator.certainty.Deviations;
import dev.headroom.estimator.certainty.Interval;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.importer.Importers;
import dev.headroom.validation.Comparison;
import dev.headroom.validation.RecordedRun;
import dev.headroom.validation.TraceComparison;
import dev.headroom.validation.scores.Peak;
import dev.headroom.validation.scores.Quantity;
import dev.headroom.validation.scores.Verdicts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** A recording of PyTorch: all phases are compared, and where they differ, the trace if there is one. */
final class RecordingRun implements MeasuredRuns {
    private final String source;
    private final Path root;
    private final Path file;
    private final List<Path> archives;

    /**
     * @param root the folder to which names are relative
     * @param archives folders in which the model's archive may be
     */
    RecordingRun(String source, Path root, Path file, List<Path> archives) {
        this.source = source;
        this.root = root;
        this.file = file;
        this.archives = archives;
    }

    @Override
    public String source() {
        return source;
    }

    @Override
    public String name() {
        return root.relativize(file).toString();
    }

    @Override
    public List<Outcome> compare() {
        Recording recording = RecordingCheck.read(file);
        RecordedRun run = new RecordedRun(recording);
        Optional<String> obstacle = run.obstacle();
        if (obstacle.isPresent()) {
            throw new NoCounterpart(obstacle.get());
        }
        Path archive = archives.stream()
                .flatMap(folder -> run.archive(folder).stream())
                .findFirst()
                .orElseThrow(() -> new UserInputException("no archive of its model; put "
                        + recording.root().path("archive").asText(recording.name() + ".pt2") + " beside it"));
        PredictionRequest request = run.request(Importers.read(archive));
        Prediction prediction = Predictor.predict(request);
        return List.of(outcome(recording, request, prediction));
    }

    private Outcome outcome(Recording recording, PredictionRequest request, Prediction prediction) {
        Comparison comparison = Comparison.of(recording, prediction);
        boolean failed = recording.oom().isObject();
        Verdicts.Verdict verdict = new Verdicts.Verdict(
                failed, prediction.oom() != null, prediction.verdict().probabilityOom());
        return new Outcome(
                source,
                name().replaceFirst("\\.json(\\.gz)?$", ""),
                ModelClass.of(request.graph()).label(),
                request.device().givenGpu().name(),
                verdict.right() ? peaks(recording, prediction, comparison) : List.of(),
                verdict,
                interval(recording, prediction),
                comparison.rows(),
                divergence(recording, request, comparison),
                Map.of());
    }

    /** Where memory ran out, the peaks until then. */
    private static List<Peak> peaks(Recording recording, Prediction prediction, Comparison comparison) {
        List<Peak> out = new ArrayList<>();
        if (comparison.rows().isEmpty()) {
            return out;
        }
        List<Recording.Phase> phases = recording.phases();
        Comparison.Row last = comparison.rows().get(comparison.rows().size() - 1);
        boolean through = prediction.oom() == null;
        Recording.Phase recorded = through ? phases.get(phases.size() - 1) : last.recorded();
        out.add(new Peak(
                Quantity.ALLOCATED,
                through ? prediction.peak().allocated() : last.predicted().maxAllocated(),
                recorded.maxAllocated()));
        out.add(new Peak(
                Quantity.RESERVED,
                through ? prediction.peak().reserved() : last.predicted().maxReserved(),
                recorded.maxReserved()));
        OptionalLong device = device(recording);
        if (through && device.isPresent()) {
            out.add(new Peak(Quantity.DEVICE, prediction.peak().device(), device.getAsLong()));
        }
        return out;
    }

    /**
     * Of the device where it was measured, else of reserved memory. Runs over null libraries say nothing of it: what
     * intervals are for, the libraries' own choices, is not in them.
     */
    private static Outcome.@Nullable Interval interval(Recording recording, Prediction prediction) {
        if (recording.root().path("null_libraries").asBoolean()
                || recording.oom().isObject()
                || prediction.oom() != null) {
            return null;
        }
        OptionalLong device = device(recording);
        Certainty certainty = prediction.certainty();
        Interval stated = device.isPresent()
                ? certainty.interval()
                : Deviations.published().interval(certainty.reserved(), Certainty.LEVEL);
        List<Recording.Phase> phases = recording.phases();
        long measured = device.orElse(phases.get(phases.size() - 1).maxReserved());
        return new Outcome.Interval(stated.level(), stated.low(), stated.high(), measured);
    }

    private static OptionalLong device(Recording recording) {
        return StreamSupport.stream(recording.root().path("phases").spliterator(), false)
                .map(phase -> phase.path("device_used"))
                .filter(JsonNode::isIntegralNumber)
                .mapToLong(JsonNode::asLong)
                .max();
    }

    private static String divergence(Recording recording, PredictionRequest request, Comparison comparison) {
        String first = comparison.firstDivergence();
        String text = first.isEmpty() ? "" : "first differs after " + first;
        if (!comparison.structure().isEmpty()) {
            text = comparison.structure() + (text.isEmpty() ? "" : "; " + text);
        }
        if (text.isEmpty() || recording.trace().isEmpty()) {
            return text;
        }
        String allocation =
                TraceComparison.of(recording, Predictor.simulate(request)).firstDifference();
        return allocation.isEmpty() ? text : text + "; " + allocation;
    }
}
