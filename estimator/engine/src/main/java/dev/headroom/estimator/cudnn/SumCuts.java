package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.ConvolutionProblem.Direction;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
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
                .flatMap(cuts -> mostNamed(cuts.plans(direction, shape, asked), direction, shape));
    }

    /** What trees name, as far as it fits what was asked; else others that do. */
    private List<Outcome> plans(Direction direction, ConvolutionShape shape, Optional<Long> asked) {
        List<Outcome> named = Arrays.stream(forests[direction.ordinal()].outcomes(ConvolutionFeatures.of(shape)))
                .mapToObj(i -> outcomes[i])
                .toList();
        if (asked.isEmpty()) {
            return named;
        }
        long bytes = asked.get();
        List<Outcome> fit =
                named.stream().filter(o -> o.explains(direction, shape, bytes)).toList();
        return !fit.isEmpty() || bytes <= SplitSums.counted(shape)
                ? fit
                : Stream.of(outcomes)
                        .filter(o -> o.kind() == Kind.CUT && o.explains(direction, shape, bytes))
                        .limit(1)
                        .toList();
    }

    /** The workspace that most of some plans take, the smaller of equals; empty when it is not known of most. */
    private static Optional<Long> mostNamed(List<Outcome> plans, Direction direction, ConvolutionShape shape) {
        Map<Optional<Long>, Long> votes = plans.stream()
                .collect(Collectors.groupingBy(plan -> plan.bytes(direction, shape), Collectors.counting()));
        return votes.entrySet().stream()
                .max(Map.Entry.<Optional<Long>, Long>comparingByValue()
                        .thenComparing(e -> -e.getKey().orElse(Long.MAX_VALUE)))
                .flatMap(Map.Entry::getKey);
    }
}
