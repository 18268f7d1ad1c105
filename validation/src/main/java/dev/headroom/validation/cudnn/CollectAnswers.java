package dev.headroom.validation.cudnn;

import dev.headroom.estimator.cudnn.WorkspaceSources;
import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.cudnn.WorkspaceSource;
import dev.headroom.model.graph.DType;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Asks the installed cuDNN for the workspaces of a list of convolutions, in all three directions. Arguments: a file
 * with a convolution a line ({@code n c h w k r s stride padding dilation groups}, pairs written {@code 2x1}), the
 * compute capability times ten, the number of multiprocessors, the element type and the layout ({@code nchw} or {@code
 * nhwc}).
 */
public final class CollectAnswers {
    private CollectAnswers() {}

    public static void main(String[] arguments) throws IOException {
        int capability = Integer.parseInt(arguments[1]);
        CudnnDevice device = new CudnnDevice(capability / 10, capability % 10, Integer.parseInt(arguments[2]));
        WorkspaceSource cudnn =
                WorkspaceSources.installed(device).source(WorkspaceLevel.ASKED).orElseThrow();
        PrintStream out = System.out;
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            for (ConvolutionProblem.Direction direction : ConvolutionProblem.Direction.values()) {
                ConvolutionProblem problem =
                        problem(line, direction, DType.valueOf(arguments[3]), arguments[4].equals("nhwc"));
                cudnn.answer(problem, device)
                        .ifPresent(answer -> out.println(new AnswerLine(device, problem, answer.first())));
            }
        }
    }

    private static ConvolutionProblem problem(
            String line, ConvolutionProblem.Direction direction, DType type, boolean channelsLast) {
        String[] f = line.split(" ");
        long[] sizes = Arrays.stream(f).limit(7).mapToLong(Long::parseLong).toArray();
        List<Long> stride = pair(f[7]);
        List<Long> padding = pair(f[8]);
        List<Long> dilation = pair(f[9]);
        long groups = Long.parseLong(f[10]);
        List<Long> x = List.of(sizes[0], sizes[1], sizes[2], sizes[3]);
        List<Long> w = List.of(sizes[4], sizes[1] / groups, sizes[5], sizes[6]);
        List<Long> y = new ArrayList<>(List.of(sizes[0], sizes[4]));
        for (int i = 0; i < 2; i++) {
            long filter = dilation.get(i) * (w.get(i + 2) - 1) + 1;
            y.add((x.get(i + 2) + 2 * padding.get(i) - filter) / stride.get(i) + 1);
        }
        long aligned = ConvolutionProblem.LARGEST_ALIGNMENT;
        return new ConvolutionProblem(
                direction, type, channelsLast, x, w, y, stride, padding, dilation, List.of(aligned, aligned, aligned));
    }

    private static List<Long> pair(String text) {
        String[] parts = text.split("x");
        return List.of(Long.valueOf(parts[0]), Long.valueOf(parts[parts.length - 1]));
    }
}
