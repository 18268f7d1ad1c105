package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Which gradients of the weight go to engines that split sums ({@link SplitSums}), and how these cut the result. */
final class SumCuts {
    private static final Map<String, Optional<SumCuts>> READ = new ConcurrentHashMap<>();

    /** What is done with a convolution. */
    private enum Kind {
        /** Another engine has it. */
        OTHER,
        /** No sum is split. */
        WHOLE,
        /** Sums may be split. */
        CUT
    }

    private record Outcome(Kind kind, SplitSums.Cut cut) {
        static Outcome read(DataInputStream in) throws IOException {
            Kind kind = Kind.values()[in.readUnsignedByte()];
            return new Outcome(
                    kind,
                    new SplitSums.Cut(
                            in.readUnsignedShort(),
                            in.readUnsignedShort(),
                            in.readUnsignedByte(),
                            in.readUnsignedByte()));
        }
    }

    private final Outcome[] outcomes;
    private final DecisionTree tree;

    private SumCuts(DataInputStream in) throws IOException {
        outcomes = new Outcome[in.readUnsignedShort()];
        for (int i = 0; i < outcomes.length; i++) {
            outcomes[i] = Outcome.read(in);
        }
        tree = DecisionTree.read(in);
    }

    /**
     * The workspace; empty when another engine has the convolution, or nothing is known of it.
     *
     * @param generation compute capability and version of cuDNN, such as {@code 90-9.19}
     */
    static Optional<Long> bytes(String generation, ConvolutionProblem problem, ConvolutionShape shape) {
        if (problem.direction() != ConvolutionProblem.Direction.FILTER || shape.groups() > 1) {
            return Optional.empty();
        }
        return RuleBook.group(problem)
                .flatMap(group -> READ.computeIfAbsent(
                        "rules/sums/" + generation + "-" + group + ".gz", name -> RuleFile.find(name, SumCuts::new)))
                .flatMap(cuts -> cuts.bytes(shape));
    }

    private Optional<Long> bytes(ConvolutionShape shape) {
        Outcome outcome = outcomes[tree.outcome(ConvolutionFeatures.of(shape))];
        return switch (outcome.kind()) {
            case OTHER -> Optional.empty();
            case WHOLE -> Optional.of(SplitSums.whole(shape));
            case CUT -> Optional.of(SplitSums.bytes(shape, outcome.cut()));
        };
    }
}
