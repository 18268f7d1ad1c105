package dev.headroom.validation.cudnn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.executor.cuda.CudaBackend;
import dev.headroom.executor.cuda.NullCuda;
import dev.headroom.executor.cuda.NullPlans;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.importer.Importers;
import dev.headroom.validation.RecordedRun;
import dev.headroom.validation.executed.ExecutedRecording;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The recorded runs with the real cuDNN's workspaces, on the cuda backend over null libraries: it asks for every
 * convolution that PyTorch asked for, takes the workspaces that it is told, and takes PyTorch's memory in every phase.
 * An operation that no recorded answer is for has no plan, and ends the run.
 */
class RecordedOnCudaTest {
    static Stream<Recording> recordings() {
        return AskedWorkspacesTest.recordings();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("recordings")
    void everyPhaseIsPyTorchs(Recording recording) {
        RecordedRun run = new RecordedRun(recording);
        var graph = Importers.read(run.archive(Fixtures.models()).orElseThrow());
        Gpu gpu = run.request(graph).device().givenGpu();
        CudnnDevice device = new CudnnDevice(gpu.major(), gpu.minor(), gpu.sms());
        NullCuda cuda = NullCuda.install().total(gpu.memory()).capability(10 * gpu.major() + gpu.minor());
        cuda.plans()
                .know(new RecordedAnswers()
                        .answers(device).entrySet().stream()
                                .map(answer -> new NullPlans.Plan(
                                        NullPlans.Mode.INSTANT,
                                        0,
                                        answer.getValue(),
                                        0,
                                        true,
                                        true,
                                        NullQuestion.of(answer.getKey()))));
        try (CudaBackend backend = CudaBackend.open(0)) {
            assertEquals("", ExecutedRecording.difference(recording, graph, backend));
            assertTrue(cuda.convolutions() > 0);
        }
        assertEquals(0, cuda.liveObjects());
        assertEquals(0, cuda.liveAllocations());
    }
}
