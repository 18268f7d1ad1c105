package dev.headroom.validation.cudnn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.cudnn.DistilledWorkspaces;
import dev.headroom.estimator.cudnn.WorkspaceSources;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.graph.DType;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Workspaces by rules beside those that cuDNN 9.19 and 9.24 answered on an H200, for layers that nothing was learned
 * from at any batch. See {@code fixtures/cudnn/README.md}.
 */
class HopperAnswersTest {
    /** Shares of workspaces that are near, by direction, type and layout. */
    private static final Map<String, Double> LEAST = Map.ofEntries(
            Map.entry("FORWARD FLOAT32 nchw", 0.94),
            Map.entry("FORWARD FLOAT32 nhwc", 0.85),
            Map.entry("FORWARD HALF nchw", 0.95),
            Map.entry("FORWARD HALF nhwc", 0.96),
            Map.entry("DATA FLOAT32 nchw", 0.96),
            Map.entry("DATA FLOAT32 nhwc", 0.88),
            Map.entry("DATA HALF nchw", 0.95),
            Map.entry("DATA HALF nhwc", 0.96),
            Map.entry("FILTER FLOAT32 nchw", 0.92),
            Map.entry("FILTER FLOAT32 nhwc", 0.76),
            Map.entry("FILTER HALF nchw", 0.93),
            Map.entry("FILTER HALF nhwc", 0.70));

    private record Answer(CudnnVersion version, AnswerLine line, String plan) {
        static Answer parse(String text) {
            int first = text.indexOf(' ');
            int last = text.lastIndexOf(' ');
            String[] version = text.substring(0, first).split("\\.");
            String[] fields = text.substring(first + 1, last).split(" ");
            String aligned = String.join(" ", List.of(fields).subList(0, fields.length - 1)) + " 32,32,32 ";
            return new Answer(
                    new CudnnVersion(Integer.parseInt(version[0]), Integer.parseInt(version[1])),
                    AnswerLine.parse(aligned + fields[fields.length - 1]),
                    text.substring(last + 1));
        }

        String group() {
            return (line.problem().type() == DType.FLOAT32 ? "FLOAT32" : "HALF")
                    + (line.problem().channelsLast() ? " nhwc" : " nchw");
        }

        long predicted(boolean driver) {
            WorkspaceSources rules = new WorkspaceSources(
                    List.of(new DistilledWorkspaces()),
                    new CudnnDevice(9, 0, line.gpu().sms()));
            return (driver ? rules.withDriver(version) : rules)
                    .answer(line.problem())
                    .orElseThrow()
                    .first();
        }

        boolean near(boolean driver) {
            return HitRates.near(predicted(driver), line.workspace());
        }
    }

    private static final List<Answer> ANSWERS =
            Fixtures.lines(Fixtures.folder().resolve("cudnn").resolve("live-h200.txt.gz")).stream()
                    .map(Answer::parse)
                    .toList();

    private static Map<String, Double> shares(BiFunction<Answer, String, Boolean> right) {
        return ANSWERS.stream()
                .collect(Collectors.groupingBy(
                        a -> a.line().problem().direction() + " " + a.group(),
                        TreeMap::new,
                        Collectors.averagingDouble(a -> right.apply(a, a.group()) ? 1 : 0)));
    }

    @Test
    void mostWorkspacesAreKnown() {
        assertEquals(6240, ANSWERS.size());
        Map<String, Double> known = shares((a, g) -> a.near(true));
        assertEquals(LEAST.keySet(), known.keySet());
        known.forEach(
                (group, share) -> assertTrue(share >= LEAST.get(group), () -> group + ": " + share + " of " + known));
    }

    /** On a machine without a driver the same cuDNN names other plans for half of the gradients of the weight. */
    @Test
    void aDriverMatters() {
        Map<String, Double> driverless = shares((a, g) -> a.near(false));
        Map<String, Double> known = shares((a, g) -> a.near(true));
        LEAST.keySet().stream()
                .filter(group -> group.startsWith("FILTER"))
                .forEach(group ->
                        assertTrue(known.get(group) > driverless.get(group) + 0.2, () -> known + " " + driverless));
    }

    /** Where plans that may split sums are named right, their workspaces are right to the byte. */
    @Test
    void splitSumsAreToTheByte() {
        Map<ConvolutionProblem.Direction, List<Answer>> split = ANSWERS.stream()
                .filter(a -> a.plan().matches("eng(62|65|67|68|71):.*k25=0,k27.*"))
                .filter(a -> a.line().problem().groups() == 1)
                .collect(Collectors.groupingBy(a -> a.line().problem().direction()));
        assertEquals(3, split.size());
        split.forEach((direction, answers) -> {
            long exact = answers.stream()
                    .filter(a -> a.predicted(true) == a.line().workspace())
                    .count();
            assertTrue(exact >= 0.86 * answers.size(), () -> direction + ": " + exact + " of " + answers.size());
        });
    }
}
