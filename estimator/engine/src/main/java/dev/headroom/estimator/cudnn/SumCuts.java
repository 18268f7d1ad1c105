package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.ConvolutionProblem.Direction;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Which convolutions go to engines that split sums ({@link SplitSums}), and how these cut the result. */
final class SumCuts {
    private static final Map<String, Optional<SumCuts>> READ = new ConcurrentHashMap<>();

    /** What is done with a convolution. */
    private enum Kind {
        /** Another engine has it, of which nothing is known here. */
        OTHER,
        /** It takes nothing. */
        NOTHING,
        /** Tensors are copied, no sum is split. */
        WHOLE,
        /** The same, and tiles are counted. */
        COUNTED,
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

        /** Whether a cuDNN that finds no driver asks for so many bytes where this is done. */
        boolean explains(Direction direction, ConvolutionShape shape, long asked) {
            return switch (kind) {
                case OTHER -> false;
                case NOTHING -> asked == 0;
                case WHOLE, COUNTED -> asked == SplitSums.whole(shape) || asked == SplitSums.counted(shape);
                case CUT -> SplitSums.explains(direction, shape, cut, asked);
            };
        }

        Optional<Long> bytes(Direction direction, ConvolutionShape shape) {
            return switch (kind) {
                case OTHER -> Optional.empty();
                case NOTHING -> Optional.of(0L);
                case WHOLE -> Optional.of(SplitSums.whole(shape));
                case COUNTED -> Optional.of(SplitSums.counted(shape));
                case CUT -> Optional.of(SplitSums.bytes(direction, shape, cut));
            };
        }
    }

    private final Outcome[] outcomes;
    private final Forest[] forests = new Forest[Direction.values().length];

    private SumCuts(DataInputStream in) throws IOException {
        outcomes = new Outcome[in.readUnsignedShort()];
        for (int i = 0; i < outcomes.length; i++) {
            outcomes[i] = Outcome.read(in);
        }
        for (int i = 0; i < forests.length; i++) {
            forests[i] = Forest.read(in);
        }
    }

    /**
     * The workspace; empty when another engine has the convolution, or nothing is known of it.
     *
     * @param generation compute capability and version of cuDNN, such as {@code 90-9.19}
     * @param asked what a cuDNN that finds no driver says itself, if one was asked
     */
    static Optional<Long> bytes(
            String generation, ConvolutionProblem problem, ConvolutionShape shape, Optional<Long> asked) {
        if (shape.groups() > 1) {
            return Optional.empty();
        }
        Direction direction = problem.direction();
        return RuleBook.group(problem)
                .flatMap(group -> READ.computeIfAbsent(
                        "rules/sums/" + generation + "-" + group + ".gz", name -> RuleFile.find(name, SumCuts::new)))
                .flatMap(cuts -> cuts.outcome(direction, shape, asked))
                .flatMap(outcome -> outcome.bytes(direction, shape));
    }

    /** The outcome that trees name, or another one that fits what was asked better. */
    private Optional<Outcome> outcome(Direction direction, ConvolutionShape shape, Optional<Long> asked) {
        Outcome named = outcomes[forests[direction.ordinal()].outcome(ConvolutionFeatures.of(shape))];
        if (asked.isEmpty() || named.explains(direction, shape, asked.get())) {
            return Optional.of(named);
        }
        return asked.get() <= SplitSums.counted(shape)
                ? Optional.empty()
                : Stream.of(outcomes)
                        .filter(o -> o.kind() == Kind.CUT && o.explains(direction, shape, asked.get()))
                        .findFirst();
    }
}
