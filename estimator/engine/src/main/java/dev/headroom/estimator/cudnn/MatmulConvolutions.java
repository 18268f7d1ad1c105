package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.ConvolutionProblem.Direction;
import dev.headroom.model.cudnn.CudnnVersion;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Convolutions with a filter of one point are products of matrices, and cuDNN has engines that hand them to cuBLASLt
 * (58 forward, 63 for the gradient of the input, 62 for that of the weight). They need a CUDA driver: a cuDNN that is
 * asked on a machine without one leaves them out, and names engines that copy to NHWC instead. On compute capability
 * 9.0 they are nearly always the first ones where a driver is.
 *
 * <p>They work on the tensors where they lie. Of NCHW tensors the gradient of the weight is computed for each image,
 * in float32, and added up after. For gradients of the weight of NHWC tensors cuBLASLt splits the sum over all pixels
 * and keeps the parts in float32; in how many is learned. What it takes beside that is left out: nothing to 400 bytes
 * for most products.
 */
final class MatmulConvolutions {
    private static final long FLOAT = 4;
    private static final long PARTS_HEADER = 272;

    /** By file: a tree for each direction, which tells products (1) from other plans (0). */
    private static final Map<String, List<DecisionTree>> READ = new ConcurrentHashMap<>();

    /** By file: a tree whose outcome is a number of parts. */
    private static final Map<String, DecisionTree> PARTS = new ConcurrentHashMap<>();

    private MatmulConvolutions() {}

    /** The workspace of a product; empty when the convolution is none, or not done as one. */
    static Optional<Long> bytes(
            int capability, CudnnVersion version, ConvolutionProblem problem, ConvolutionShape shape) {
        return RuleBook.group(problem)
                .filter(group ->
                        isPoint(problem, shape) && isProduct(capability + "-" + version, group, problem, shape))
                .map(group -> bytes(capability + "-" + group, problem.direction(), shape));
    }

    private static boolean isProduct(
            String generation, String group, ConvolutionProblem problem, ConvolutionShape shape) {
        return READ.computeIfAbsent(
                                "rules/matmul/" + generation + "-" + group + ".gz",
                                name -> RuleFile.read(name, DecisionTree::readByDirection))
                        .get(problem.direction().ordinal())
                        .outcome(ConvolutionFeatures.of(shape))
                == 1;
    }

    /** Whether the convolution is a product of its matrices as they lie. */
    private static boolean isPoint(ConvolutionProblem p, ConvolutionShape shape) {
        return shape.taps() == 1
                && shape.groups() == 1
                && p.stride().stream().allMatch(s -> s == 1)
                && p.padding().stream().allMatch(s -> s == 0);
    }

    private static long bytes(String group, Direction direction, ConvolutionShape q) {
        if (direction != Direction.FILTER) {
            return 0;
        }
        long gradient = q.k() * q.c() * FLOAT;
        return q.channelsLast() ? parts(group, gradient, q) : q.n() * gradient;
    }

    /** The partial gradients that cuBLASLt adds up. */
    private static long parts(String group, long gradient, ConvolutionShape q) {
        long parts = PARTS.computeIfAbsent(
                        "rules/matmul/parts-" + group + ".gz", name -> RuleFile.read(name, DecisionTree::read))
                .outcome(ConvolutionFeatures.of(q));
        return parts == 0 ? 0 : parts * gradient + PARTS_HEADER;
    }
}
