package dev.headroom.estimator.cudnn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.graph.DType;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OlderPlansTest {
    private static final long FIRST = 1 << 20;

    /** 32 images of 64 channels and 56 x 56 points, as many channels out. */
    private static ConvolutionProblem problem(long filter, long group, boolean channelsLast) {
        List<Long> image = List.of(32L, 64L, 56L, 56L);
        List<Long> one = List.of(1L, 1L);
        return new ConvolutionProblem(
                ConvolutionProblem.Direction.FORWARD,
                DType.FLOAT32,
                channelsLast,
                image,
                List.of(64L, group, filter, filter),
                image,
                one,
                List.of(filter / 2, filter / 2),
                one,
                List.of(32L, 32L, 32L));
    }

    @ParameterizedTest(name = "{0}: filter {1}, groups of {2}, channels last {3}, searched {4}: copies {5}")
    @CsvSource({
        "9.1, 3, 64, false, false, true",
        "9.1, 3, 64, false, true, true",
        "9.1, 1, 64, false, false, false",
        "9.1, 1, 64, false, true, false",
        "9.1, 3, 16, false, false, false",
        "9.1, 3, 32, false, false, true",
        "9.1, 3, 64, true, false, true",
        "9.1, 3, 64, true, true, false",
        "9.24, 1, 64, false, false, true",
        "9.24, 1, 64, false, true, true",
    })
    void pointsAndNarrowGroupsTakeNoCopies(
            String version, long filter, long group, boolean channelsLast, boolean searched, boolean copies) {
        WorkspaceAnswer newest = WorkspaceAnswer.fixed(WorkspaceLevel.DISTILLED, FIRST);
        WorkspaceAnswer older = OlderPlans.of(
                problem(filter, group, channelsLast),
                newest,
                CudnnVersion.of(version).orElseThrow(),
                searched);
        assertEquals(copies ? FIRST : 0, older.first());
    }
}
