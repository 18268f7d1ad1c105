package dev.headroom.validation.cudnn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.RecurrentAlgorithm;
import dev.headroom.model.cudnn.RecurrentProblem;
import dev.headroom.model.cudnn.RecurrentSpaces;
import dev.headroom.model.graph.DType;
import dev.headroom.validation.Comparison;
import dev.headroom.validation.RecordedRun;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What recurrent layers need beside what cuDNN asked for. */
class RecurrentSpacesTest {
    private static final Path ANSWERS =
            Fixtures.recordings().resolveSibling("cudnn").resolve("recurrent.csv.gz");
    private static final int[] GATES = {1, 1, 4, 3};

    /** By {@code cudnnDataType_t}. */
    private static final Map<Integer, DType> TYPES =
            Map.of(0, DType.FLOAT32, 1, DType.FLOAT64, 2, DType.FLOAT16, 9, DType.BFLOAT16);

    private static List<String> answers() {
        return Fixtures.lines(ANSWERS).stream().skip(1).toList();
    }

    /** How a line ends. */
    private static String spaces(String line) {
        int[] a = Arrays.stream(line.split(","))
                .skip(1) // the version of cuDNN
                .limit(13) // the answer follows
                .mapToInt(Integer::parseInt)
                .toArray();
        RecurrentProblem p = new RecurrentProblem(
                GATES[a[2]], TYPES.get(a[5]), a[11], a[12], a[6], a[7], a[8], a[9], a[4] == 1, a[10] == 1);
        CudnnDevice device = new CudnnDevice(a[0] / 10, a[0] % 10, a[1]);
        RecurrentAlgorithm algorithm =
                switch (a[3]) {
                    case 1 -> RecurrentAlgorithm.PERSIST_STATIC;
                    case 3 -> RecurrentAlgorithm.PERSIST_STATIC_SMALL_H;
                    default -> RecurrentAlgorithm.STANDARD;
                };
        RecurrentSpaces training = RecurrentSpaces.training(p, algorithm, device);
        RecurrentSpaces inference = RecurrentSpaces.inference(p, algorithm, device);
        assertEquals(0, inference.reserve());
        return training.workspace() + "," + training.reserve() + "," + inference.workspace();
    }

    @Test
    void everyAnswerIsFoundToTheByte() {
        List<String> lines = answers();
        for (String line : lines) {
            assertTrue(line.endsWith("," + spaces(line)), line);
        }
        assertEquals(1579, lines.size());
    }

    /** An encoder of GRUs: without cuDNN's own sizes it came out 1.3 % too low. */
    @Test
    void aRunOnAnH100ComesOut() {
        Recording recording = Recording.read(Fixtures.recordings().resolve("h100/seq2seq-gru-b80.json.gz"));
        RecordedRun run = new RecordedRun(recording);
        Comparison.Row end = Comparison.of(
                        recording,
                        Predictor.predict(
                                run.request(run.archive(Fixtures.models()).orElseThrow())))
                .rows()
                .stream()
                .reduce((a, b) -> b)
                .orElseThrow();
        assertNear(end.recorded().maxAllocated(), end.predicted().maxAllocated());
        assertNear(end.recorded().maxReserved(), end.predicted().maxReserved());
    }

    private static void assertNear(long recorded, long predicted) {
        assertEquals(recorded, predicted, recorded / 500.0);
    }
}
