package dev.headroom.validation.cudnn;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.graph.DType;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * What cuDNN 9.19 answered on an H100, see {@code fixtures/cudnn/README.md}.
 *
 * @param workspace bytes of the plan's workspace
 * @param driverless bytes of the plan that the same cuDNN names on a machine without a driver
 */
record LiveAnswer(ConvolutionProblem problem, long workspace, long driverless) {
    private static final long ALIGNMENT = 32;

    static List<LiveAnswer> all() {
        Path file = Fixtures.folder().resolve("cudnn").resolve("live-9.19.csv.gz");
        return Fixtures.lines(file).stream().skip(1).map(LiveAnswer::parse).toList();
    }

    private static LiveAnswer parse(String line) {
        String[] f = line.split(",");
        long[] v = Arrays.stream(f, 3, 14).mapToLong(Long::parseLong).toArray();
        long stride = v[7];
        long padding = v[8];
        long dilation = v[9];
        ConvolutionProblem problem = new ConvolutionProblem(
                ConvolutionProblem.Direction.valueOf(f[0]),
                DType.valueOf(f[1]),
                f[2].equals("nhwc"),
                List.of(v[0], v[1], v[2], v[3]),
                List.of(v[4], v[1] / v[10], v[5], v[6]),
                List.of(
                        v[0],
                        v[4],
                        (v[2] + 2 * padding - dilation * (v[5] - 1) - 1) / stride + 1,
                        (v[3] + 2 * padding - dilation * (v[6] - 1) - 1) / stride + 1),
                List.of(stride, stride),
                List.of(padding, padding),
                List.of(dilation, dilation),
                List.of(ALIGNMENT, ALIGNMENT, ALIGNMENT));
        return new LiveAnswer(problem, Long.parseLong(f[16]), Long.parseLong(f[17]));
    }

    /** Whether the filter is one point that meets every point of the input once. */
    boolean isPoint() {
        return problem.w().subList(2, 4).equals(List.of(1L, 1L))
                && problem.stride().equals(List.of(1L, 1L))
                && problem.padding().equals(List.of(0L, 0L))
                && problem.groups() == 1;
    }
}
