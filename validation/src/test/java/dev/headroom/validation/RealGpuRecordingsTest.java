package dev.headroom.validation;

import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.validation.finetune.FinetuneRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What PyTorch took on a real H100 and a real H200, phase by phase, with the real cuDNN and the real driver. */
class RealGpuRecordingsTest {
    private static final Path FOLDER = Fixtures.recordings();
    private static final List<String> CARDS = List.of("h100", "h200");

    /** A recording, by its card and its name below the card's folder. */
    record Run(String name) {
        Comparison compare() {
            Recording recording = Recording.read(FOLDER.resolve(name + ".json.gz"));
            return Comparison.of(recording, Predictor.predict(request(recording)));
        }

        /** Rules answer for convolutions: of the cuDNN that may be installed here nothing is known. */
        private static PredictionRequest request(Recording recording) {
            PredictionRequest request;
            if (recording.root().path("kind").asText().equals("finetune")) {
                request = new FinetuneRun(recording).request();
            } else {
                RecordedRun run = new RecordedRun(recording);
                request = run.request(run.archive(Fixtures.models()).orElseThrow());
            }
            Scenario run = request.scenario();
            return request.with(run.with(
                    CUDNN_WORKSPACE, run.kernels().cudnnWorkspace().withSource(Scenario.Workspaces.DISTILLED)));
        }

        /**
         * Whether the GradScaler found gradients that are not finite and left out the first step, and with it the
         * optimizer's state: no prediction can know.
         */
        boolean skipsTheFirstStep() {
            Recording recording = Recording.read(FOLDER.resolve(name + ".json.gz"));
            if (!recording.config().path("amp").asText().equals("fp16")) {
                return false;
            }
            List<Recording.Phase> first = recording.phases().stream()
                    .filter(p -> p.label().matches("(backward|optimizer) 0"))
                    .toList();
            return first.size() == 2 && first.get(0).allocated() == first.get(1).allocated();
        }

        boolean convolves() {
            return !name.matches("h[12]00/(finetune/|(distil)?gpt2|bert|opt|llama|qwen|pythia|t5|mlp|seq2seq).*");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Run> equal() throws IOException {
        Stream.Builder<Run> runs = Stream.builder();
        for (String card : CARDS) {
            Files.readAllLines(FOLDER.resolve(card).resolve("equal.txt"))
                    .forEach(name -> runs.add(new Run(card + "/" + name)));
        }
        return runs.build();
    }

    /** What plans ask for that are tried and not taken is in no rule, and these runs took two to three times as much. */
    @Test
    void searchesForPlansAreWarnedOf() {
        Recording recording = Recording.read(FOLDER.resolve("h100").resolve("two-steps-resnet50-b32-bench.json.gz"));
        Prediction predicted = Predictor.predict(Run.request(recording));
        assertTrue(predicted.warnings().stream().anyMatch(w -> w.contains("tries every plan")), predicted::toString);
    }

    private static List<Run> all() {
        return CARDS.stream()
                .map(FOLDER::resolve)
                .flatMap(card -> Stream.of(card, card.resolve("finetune")))
                .flatMap(folder -> Fixtures.recordings(folder).stream())
                .map(file -> FOLDER.relativize(file).toString().replace(".json.gz", ""))
                .map(Run::new)
                .filter(run -> !run.name.endsWith("-bench") && !run.skipsTheFirstStep())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("equal")
    void everyPhaseIsWhatTheGpuTook(Run run) {
        Comparison compared = run.compare();
        assertEquals("", compared.structure());
        assertEquals("", compared.differences());
    }

    /** Without convolutions the worst peaks are off by what the host's own mappings decide; with them by cuDNN's choices. */
    @Test
    void theOthersAreNear() {
        for (boolean convolves : List.of(false, true)) {
            List<Run> runs =
                    all().stream().filter(r -> r.convolves() == convolves).toList();
            List<Comparison> compared = runs.stream().map(Run::compare).toList();
            near(runs, compared, Comparison::worstAllocated, convolves ? 0.13 : 0.16);
            near(runs, compared, Comparison::worstReserved, convolves ? 0.30 : 0.16);
        }
    }

    private static void near(
            List<Run> runs, List<Comparison> compared, ToDoubleFunction<Comparison> error, double most) {
        double[] errors = compared.stream().mapToDouble(error).toArray();
        for (int i = 0; i < errors.length; i++) {
            assertTrue(
                    errors[i] <= most,
                    runs.get(i) + ": " + errors[i] + " " + compared.get(i).firstDivergence());
        }
    }
}
