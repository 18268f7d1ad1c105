package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.ConvolutionProblem.Direction;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPInputStream;

/**
 * Convolutions with a filter of one point are products of matrices, and cuDNN has engines that hand them to cuBLASLt
 * (58 forward, 63 for the gradient of the input, 62 for that of the weight). They need a CUDA driver: a cuDNN that is
 * asked on a machine without one leaves them out, and names engines that copy to NHWC instead. On compute capability
 * 9.0 they are nearly always the first ones where a driver is.
 *
 * <p>They work on the tensors where they lie. Of NCHW tensors the gradient of the weight is computed for each image,
 * in float32, and added up after. What cuBLASLt itself takes beside that is left out: nothing to 400 bytes for most
 * products, up to some MiB for gradients of the weight of NHWC tensors, whose sums it splits.
 */
final class MatmulConvolutions {
    private static final long FLOAT = 4;

    /** By file: a tree for each direction, which tells products (1) from other plans (0). */
    private static final Map<String, List<DecisionTree>> READ = new ConcurrentHashMap<>();

    private MatmulConvolutions() {}

    /**
     * The workspace of a product; empty when the convolution is none, or not done as one.
     *
     * @param generation compute capability and version of cuDNN, such as {@code 90-9.19}
     */
    static Optional<Long> bytes(String generation, ConvolutionProblem problem, ConvolutionShape shape) {
        return RuleBook.group(problem)
                .filter(group -> isPoint(problem, shape))
                .map(group -> READ.computeIfAbsent(generation + "-" + group, MatmulConvolutions::trees))
                .map(trees -> trees.get(problem.direction().ordinal()))
                .filter(tree -> tree.outcome(ConvolutionFeatures.of(shape)) == 1)
                .map(tree -> bytes(problem.direction(), shape));
    }

    /** Whether the convolution is a product of its matrices as they lie. */
    private static boolean isPoint(ConvolutionProblem p, ConvolutionShape shape) {
        return shape.taps() == 1
                && shape.groups() == 1
                && p.stride().stream().allMatch(s -> s == 1)
                && p.padding().stream().allMatch(s -> s == 0);
    }

    private static long bytes(Direction direction, ConvolutionShape q) {
        return direction == Direction.FILTER && !q.channelsLast() ? q.n() * q.k() * q.c() * FLOAT : 0;
    }

    private static List<DecisionTree> trees(String file) {
        String name = "rules/matmul/" + file + ".gz";
        try (InputStream found = MatmulConvolutions.class.getResourceAsStream(name);
                DataInputStream in = new DataInputStream(new BufferedInputStream(new GZIPInputStream(found)))) {
            List<DecisionTree> out = new ArrayList<>();
            for (int i = 0; i < Direction.values().length; i++) {
                out.add(DecisionTree.read(in));
            }
            return out;
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
