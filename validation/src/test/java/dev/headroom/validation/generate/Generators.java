package dev.headroom.validation.generate;

import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Random models and runs. They shrink to few, plain and small layers and to the simplest run. */
public final class Generators {
    /** Muon takes matrices only, SparseAdam sparse gradients, and LBFGS a closure. */
    private static final List<OptimizerKind> OPTIMIZERS = Arrays.stream(OptimizerKind.values())
            .filter(k -> k != OptimizerKind.MUON && k != OptimizerKind.SPARSE_ADAM && k != OptimizerKind.LBFGS)
            .toList();

    private static final int MOST_BLOCKS = 9;
    private static final int DEPTH = 2;

    private Generators() {}

    /** Models of any kind. */
    public static Arbitrary<RandomModel> models() {
        return wishes(true).map(ModelWish::model);
    }

    /** Models that take little arithmetic. */
    public static Arbitrary<RandomModel> smallModels() {
        return wishes(false).map(ModelWish::model);
    }

    /** Models of any kind with a run of any kind. */
    public static Arbitrary<RandomCase> cases() {
        return Combinators.combine(models(), runs(40)).as(RandomCase::of);
    }

    /** Small models with a run of any kind on few samples. */
    public static Arbitrary<RandomCase> smallCases() {
        return Combinators.combine(smallModels(), runs(6)).as(RandomCase::of);
    }

    private static Arbitrary<ModelWish> wishes(boolean wide) {
        return Combinators.combine(
                        Arbitraries.of(ModelWish.Form.class),
                        Arbitraries.integers().between(0, 255).list().ofSize(3),
                        blocks(DEPTH).list().ofMaxSize(MOST_BLOCKS),
                        Arbitraries.integers().between(0, 479),
                        wide ? rarely(4) : Arbitraries.just(false))
                .as(ModelWish::new);
    }

    private static Arbitrary<Boolean> rarely(int times) {
        return Arbitraries.frequency(Tuple.of(times - 1, false), Tuple.of(1, true));
    }

    private static Arbitrary<Block> blocks(int depth) {
        List<Block.Kind> all = List.of(Block.Kind.values());
        int plain = Block.Kind.RESIDUAL.ordinal();
        Arbitrary<Integer> numbers = Arbitraries.integers().between(0, 255);
        Arbitrary<Integer> options = Arbitraries.integers().between(0, 1023);
        Arbitrary<Block> simple = Combinators.combine(Arbitraries.of(all.subList(0, plain)), numbers, options)
                .as((kind, size, option) -> new Block(kind, size, option, List.of()));
        if (depth == 0) {
            return simple;
        }
        Arbitrary<List<List<Block>>> parts =
                blocks(depth - 1).list().ofMaxSize(3).list().ofMinSize(1).ofMaxSize(3);
        Arbitrary<Block> composed = Combinators.combine(
                        Arbitraries.of(all.subList(plain, all.size())), numbers, options, parts)
                .as(Block::new);
        return Arbitraries.frequencyOf(Tuple.of(7, simple), Tuple.of(2, composed));
    }

    /** Runs of up to so many samples; {@link RandomCase#of} fits them to a model. */
    public static Arbitrary<RandomRun> runs(int mostSamples) {
        return Combinators.combine(basics(mostSamples), recomputations(), habits())
                .as((basic, recomputation, habit) -> new RandomRun(
                        basic.batch(),
                        basic.optimizer(),
                        basic.foreach(),
                        basic.fused(),
                        basic.variant(),
                        basic.dtype(),
                        basic.amp(),
                        basic.loss(),
                        recomputation.checkpoint(),
                        recomputation.checkpointModules(),
                        recomputation.reentrant(),
                        habit.accumulate(),
                        habit.steps(),
                        habit.zeroGradKeep(),
                        habit.channelsLast(),
                        habit.inputGrad(),
                        habit.dropOutputs(),
                        habit.inference(),
                        habit.attention(),
                        habit.allocConf()));
    }

    private record Basic(
            long batch,
            OptimizerKind optimizer,
            Scenario.Foreach foreach,
            boolean fused,
            int variant,
            DType dtype,
            DType amp,
            LossKind loss) {}

    private static Arbitrary<Basic> basics(int mostSamples) {
        Arbitrary<DType> precision = Arbitraries.frequency(
                        Tuple.of(5, "fp32"), Tuple.of(1, "fp16"), Tuple.of(1, "bf16"))
                .map(Generators::type);
        return Combinators.combine(
                        Arbitraries.longs().between(1, mostSamples),
                        // Those of other libraries have kernels and arguments of their own.
                        Arbitraries.of(OPTIMIZERS).filter(k -> k == OptimizerKind.NONE || k.isOfTorch()),
                        Arbitraries.of(Scenario.Foreach.class),
                        rarely(4),
                        Arbitraries.frequency(Tuple.of(3, 0), Tuple.of(1, 1), Tuple.of(1, 2), Tuple.of(1, 7)),
                        precision,
                        precision,
                        Arbitraries.of(LossKind.SUM, LossKind.MSE, LossKind.CROSS_ENTROPY))
                .as(Basic::new);
    }

    private static DType type(String name) {
        return switch (name) {
            case "fp16" -> DType.FLOAT16;
            case "bf16" -> DType.BFLOAT16;
            default -> null;
        };
    }

    private record Recomputation(int checkpoint, List<Integer> checkpointModules, Boolean reentrant) {}

    private static Arbitrary<Recomputation> recomputations() {
        return Combinators.combine(
                        Arbitraries.frequency(Tuple.of(5, 0), Tuple.of(1, 2), Tuple.of(1, 3), Tuple.of(1, 4)),
                        rarely(4).flatMap(some -> Arbitraries.integers()
                                .between(0, MOST_BLOCKS)
                                .set()
                                .ofMaxSize(some ? 3 : 0)
                                .map(s -> s.stream().sorted().toList())),
                        Arbitraries.of(false, true))
                .as(Recomputation::new);
    }

    private record Habit(
            int accumulate,
            int steps,
            boolean zeroGradKeep,
            boolean channelsLast,
            boolean inputGrad,
            boolean dropOutputs,
            boolean inference,
            Scenario.Attention attention,
            String allocConf) {}

    private static Arbitrary<Habit> habits() {
        Arbitrary<Tuple.Tuple2<Integer, Integer>> passes = Combinators.combine(
                        Arbitraries.frequency(Tuple.of(4, 1), Tuple.of(1, 2), Tuple.of(1, 3)),
                        Arbitraries.integers().between(1, 3))
                .as(Tuple::of);
        return Combinators.combine(
                        passes,
                        rarely(4),
                        rarely(4),
                        rarely(4),
                        rarely(4),
                        rarely(10),
                        Arbitraries.frequency(
                                Tuple.of(5, Scenario.Attention.AUTO),
                                Tuple.of(1, Scenario.Attention.FLASH),
                                Tuple.of(1, Scenario.Attention.EFFICIENT),
                                Tuple.of(1, Scenario.Attention.MATH)),
                        Arbitraries.frequency(
                                Tuple.of(6, ""),
                                Tuple.of(1, "expandable_segments:True"),
                                Tuple.of(1, "max_split_size_mb:20"),
                                Tuple.of(1, "roundup_power2_divisions:4"),
                                Tuple.of(1, "garbage_collection_threshold:0.6")))
                .as((p, keep, last, input, drop, inference, attention, conf) ->
                        new Habit(p.get1(), p.get2(), keep, last, input, drop, inference, attention, conf));
    }
}
