package dev.headroom.validation.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A line of a file of answers: {@code capability sms direction type layout x w y stride padding dilation alignment
 * workspace}, sizes joined by commas, the workspace of the first plan in bytes.
 */
public record AnswerLine(CudnnDevice gpu, ConvolutionProblem problem, long workspace) {
    private static final String CHANNELS_LAST = "nhwc";

    /** Reads a line. */
    public static AnswerLine parse(String line) {
        String[] f = line.split(" ");
        int capability = Integer.parseInt(f[0]);
        ConvolutionProblem problem = new ConvolutionProblem(
                ConvolutionProblem.Direction.valueOf(f[2]),
                DType.valueOf(f[3]),
                f[4].equals(CHANNELS_LAST),
                numbers(f[5]),
                numbers(f[6]),
                numbers(f[7]),
                numbers(f[8]),
                numbers(f[9]),
                numbers(f[10]),
                numbers(f[11]));
        return new AnswerLine(
                new CudnnDevice(capability / 10, capability % 10, Integer.parseInt(f[1])),
                problem,
                Long.parseLong(f[12]));
    }

    private static List<Long> numbers(String text) {
        return Arrays.stream(text.split(",")).map(Long::valueOf).toList();
    }

    private static String text(List<Long> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    @Override
    public String toString() {
        return String.join(
                " ",
                String.valueOf(gpu.major() * 10 + gpu.minor()),
                String.valueOf(gpu.sms()),
                problem.direction().name(),
                problem.type().name(),
                problem.channelsLast() ? CHANNELS_LAST : "nchw",
                text(problem.x()),
                text(problem.w()),
                text(problem.y()),
                text(problem.stride()),
                text(problem.padding()),
                text(problem.dilation()),
                text(problem.alignment()),
                String.valueOf(workspace));
    }
}
