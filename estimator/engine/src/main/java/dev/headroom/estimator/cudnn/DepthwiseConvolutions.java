package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Depthwise convolutions have engines of their own (5 forward, 6 for the gradient of the input, 16 and 19 for that of
 * the weight), which a cuDNN leaves out that is asked on a machine without a driver: what it names instead copies all
 * tensors. These engines take nothing, but for engine 16 on NHWC tensors: partial sums of each image, in blocks of 32
 * channels.
 */
final class DepthwiseConvolutions {
    /** Bytes of partial sums for each channel and tap. */
    private static final long BLOCK = 32;

    private static final int NOTHING = 1;
    private static final int BLOCKS = 2;

    /** By file: a tree for each direction. */
    private static final Map<String, Optional<List<DecisionTree>>> READ = new ConcurrentHashMap<>();

    private DepthwiseConvolutions() {}

    /**
     * The workspace; empty when the convolution is not depthwise, has another engine, or nothing is known of it.
     *
     * @param capability such as 90
     */
    static Optional<Long> bytes(int capability, ConvolutionProblem problem, ConvolutionShape shape) {
        if (shape.groups() == 1 || shape.c() != 1) {
            return Optional.empty();
        }
        return RuleBook.group(problem)
                .flatMap(group -> READ.computeIfAbsent(
                        "rules/depthwise/" + capability + "-" + group + ".gz",
                        name -> RuleFile.find(name, DecisionTree::readByDirection)))
                .map(trees -> trees.get(problem.direction().ordinal()).outcome(ConvolutionFeatures.of(shape)))
                .flatMap(outcome -> switch (outcome) {
                    case NOTHING -> Optional.of(0L);
                    case BLOCKS -> Optional.of(blocks(shape));
                    default -> Optional.empty();
                });
    }

    private static long blocks(ConvolutionShape q) {
        return q.n() * ConvolutionShape.up(q.groups(), BLOCK) * q.taps() * BLOCK;
    }
}
