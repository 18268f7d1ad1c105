package dev.headroom.validation.cudnn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.estimator.cudnn.DistilledWorkspaces;
import dev.headroom.estimator.cudnn.WorkspaceSources;
import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.cudnn.WorkspaceSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Workspaces beside those that cuDNN 9.19 took on an H100. */
class LiveAnswersTest {
    private static final CudnnDevice H100 = new CudnnDevice(9, 0, 132);
    private static final CudnnVersion VERSION = new CudnnVersion(9, 19);

    /** The allocator's unit. */
    private static final long UNIT = 512;

    private static final List<LiveAnswer> ANSWERS = LiveAnswer.all();

    /** An installed cuDNN that is told of the GPU. */
    private record Asked(Map<ConvolutionProblem, Long> answers, boolean seesDriver) implements WorkspaceSource {
        @Override
        public WorkspaceLevel level() {
            return WorkspaceLevel.ASKED;
        }

        @Override
        public String description() {
            return "cuDNN 9.19 without a handle";
        }

        @Override
        public Optional<WorkspaceAnswer> answer(ConvolutionProblem problem, CudnnDevice gpu) {
            return Optional.of(WorkspaceAnswer.fixed(level(), answers.get(problem)));
        }
    }

    private static WorkspaceSource asked() {
        return new Asked(
                ANSWERS.stream().collect(Collectors.toMap(LiveAnswer::problem, LiveAnswer::driverless)), false);
    }

    private static boolean same(long predicted, long measured) {
        return (predicted + UNIT - 1) / UNIT == (measured + UNIT - 1) / UNIT;
    }

    /** Right answers about filters of one point, or about others: without a driver and with one. */
    private static List<Long> right(WorkspaceSource source, boolean points, BiPredicate<Long, Long> right) {
        WorkspaceSources driverless = new WorkspaceSources(List.of(source), H100);
        return Stream.of(driverless, driverless.withDriver(VERSION))
                .map(sources -> ANSWERS.stream()
                        .filter(a -> a.isPoint() == points)
                        .filter(a -> right.test(
                                sources.answer(a.problem()).orElseThrow().first(), a.workspace()))
                        .count())
                .toList();
    }

    /** Of 366. What is missing are problems that trees get wrong, and what cuBLASLt takes itself, often 272 bytes. */
    @Test
    void filtersOfOnePointAreProducts() {
        assertEquals(366, ANSWERS.stream().filter(LiveAnswer::isPoint).count());
        assertEquals(List.of(129L, 261L), right(asked(), true, LiveAnswersTest::same));
        assertEquals(List.of(193L, 331L), right(asked(), true, HitRates::near));
        assertEquals(List.of(128L, 254L), right(new DistilledWorkspaces(), true, LiveAnswersTest::same));
        assertEquals(List.of(176L, 327L), right(new DistilledWorkspaces(), true, HitRates::near));
    }

    /** Of 1455: rules know how sums are split; what an asked cuDNN says tells which plan it had in mind. */
    @Test
    void otherFiltersAreByRulesWithADriver() {
        assertEquals(List.of(1242L, 1362L), right(asked(), false, LiveAnswersTest::same));
        assertEquals(List.of(876L, 1061L), right(new DistilledWorkspaces(), false, HitRates::near));
    }

    /**
     * A cuDNN that is told of the GPU beside its driver, but has no handle: 4,425 of 4,777 answers are those with one, and
     * where it splits sums rules say how it would.
     */
    @Test
    void sumsAreSplitAsWithAHandle() {
        Map<AnswerLine, Long> lines = LiveAnswers.toldOfGpu();
        Map<ConvolutionProblem, Long> told = lines.entrySet().stream()
                .collect(Collectors.toMap(e -> e.getKey().problem(), Map.Entry::getValue));
        WorkspaceSources seeing = new WorkspaceSources(List.of(new Asked(told, true)), H100);
        assertEquals(
                List.of(4425L, 4711L),
                Stream.of(seeing, seeing.withDriver(VERSION))
                        .map(sources -> lines.keySet().stream()
                                .filter(line -> same(
                                        sources.answer(line.problem())
                                                .orElseThrow()
                                                .first(),
                                        line.workspace()))
                                .count())
                        .toList());
    }

    /** Nothing was measured of older versions and other GPUs. */
    @Test
    void olderVersionsAndOtherGpusStayAsTheyWere() {
        for (LiveAnswer a : ANSWERS.subList(0, 100)) {
            assertUnchanged(a, H100, new CudnnVersion(9, 18));
            assertUnchanged(a, new CudnnDevice(8, 0, 108), VERSION);
        }
    }

    private static void assertUnchanged(LiveAnswer a, CudnnDevice gpu, CudnnVersion version) {
        WorkspaceSources sources = new WorkspaceSources(List.of(asked()), gpu);
        assertEquals(
                a.driverless(),
                sources.withDriver(version).answer(a.problem()).orElseThrow().first());
    }
}
