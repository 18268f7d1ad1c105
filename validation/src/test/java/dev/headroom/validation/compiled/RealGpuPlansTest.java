package dev.headroom.validation.compiled;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.TorchVersion;
import dev.headroom.validation.finetune.FinetuneComparison;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plans of {@code torch.compile}, and what the compiled runs took on a real H100, where kernels were tuned first and
 * convolutions had workspaces.
 */
class RealGpuPlansTest {
    private static final Path FOLDER = Fixtures.recordings().resolve("h100/compile");

    static List<Path> recordings() {
        return Fixtures.recordings(FOLDER);
    }

    private static PredictionRequest question(Path recording) {
        return new CompiledRun(
                        Recording.read(recording), FOLDER.resolve("plans").resolve(recording.getFileName()))
                .request();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("recordings")
    void peaksAreTheMeasuredOnes(Path recording) throws IOException {
        FinetuneComparison compared = FinetuneComparison.of(Recording.read(recording), question(recording));
        boolean far = Files.readAllLines(FOLDER.resolve("open.txt"))
                .contains(Recording.read(recording).name());
        CompiledRecordingTest.near(
                far ? 1.1 : 0.4,
                compared.recorded().maxAllocated(),
                compared.predicted().maxAllocated());
        CompiledRecordingTest.near(
                far ? 7 : 2.3,
                compared.recorded().maxReserved(),
                compared.predicted().maxReserved());
    }

    /** Autograd makes zeros for logits that no loss uses, half a gigabyte here; before 2.13 they stay until the end. */
    @Test
    void gradientsStayUntilTheBackwardPassReturns() {
        PredictionRequest question = question(FOLDER.resolve("llama-1b-like-l4-b1-2048-adamw-bf16.json.gz"));
        long zeros = 2048L * 128256 * 2;
        assertEquals(zeros, allocated(question, "2.12") - allocated(question, "2.13"), 2 << 20);
    }

    private static long allocated(PredictionRequest question, String version) {
        PredictionRequest asked =
                question.with(question.scenario().with(ScenarioSettings.TORCH, TorchVersion.of(version)));
        Recording recorded = Recording.read(FOLDER.resolve("llama-1b-like-l4-b1-2048-adamw-bf16.json.gz"));
        return FinetuneComparison.of(recorded, asked).predicted().maxAllocated();
    }
}
