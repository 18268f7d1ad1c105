package dev.headroom.validation.generate;

import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.RANK;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Traffic;
import dev.headroom.estimator.parallel.layout.ShardLayout;
import dev.headroom.estimator.predict.ParameterMemory;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Laws of ranks, on random models and runs. */
class RankLawsTest {
    private static final Gpu GPU = GpuCatalogue.find("h200").orElseThrow();

    @Provide
    Arbitrary<RandomCase> cases() {
        return Generators.smallCases().filter(c -> !c.run().inference());
    }

    private static Simulation played(Graph graph, RandomCase c, ParallelKind kind, int world, int rank) {
        Scenario run = c.run()
                .training()
                .on(GPU)
                .with(PARALLEL, kind)
                .with(WORLD, world)
                .with(RANK, rank);
        try {
            Simulation out = Predictor.simulate(new PredictionRequest(graph, run));
            Assume.that(out.oom() == null);
            return out;
        } catch (UserInputException e) {
            Assume.that(false); // PyTorch refuses such a run
            throw e;
        }
    }

    private static List<HeldTensor> parameters(Graph graph) {
        return graph.held().tensors().entrySet().stream()
                .filter(e -> e.getValue().kind() == Graph.InputKind.PARAMETER
                        && e.getValue().storage().equals(e.getKey()))
                .map(Map.Entry::getValue)
                .toList();
    }

    private static long[] sizes(HeldTensor held) {
        return held.meta().sizes().stream().mapToLong(s -> s.evaluate(Map.of())).toArray();
    }

    /** What {@code fully_shard} gives to all ranks together is the model; storage beyond it is padding. */
    @Property(maxDiscardRatio = 100, tries = 60, seed = MeasuredCasesTest.SEED)
    void shardsSumToTheWhole(@ForAll("cases") RandomCase c, @ForAll @IntRange(min = 1, max = 5) int world) {
        Graph graph = InBlocks.of(c.model());
        Map<String, Long> one = bytes(played(graph, c, ParallelKind.SINGLE, 1, 0));
        List<Map<String, Long>> ranks = IntStream.range(0, world)
                .mapToObj(rank -> bytes(played(graph, c, ParallelKind.FSDP2, world, rank)))
                .toList();
        one.forEach((name, whole) ->
                assertEquals(whole, ranks.stream().mapToLong(r -> r.get(name)).sum(), name));
    }

    private static Map<String, Long> bytes(Simulation run) {
        return run.parameters().stream()
                .collect(java.util.stream.Collectors.toMap(ParameterMemory::name, ParameterMemory::bytes));
    }

    /** More ranks never raise what the first rank holds of parameters and of the optimizer's state. */
    @Property(maxDiscardRatio = 100, tries = 60, seed = MeasuredCasesTest.SEED)
    void moreRanksNeverHoldMore(@ForAll("cases") RandomCase c, @ForAll @IntRange(min = 1, max = 4) int world) {
        Graph graph = InBlocks.of(c.model());
        Simulation few = played(graph, c, ParallelKind.FSDP2, world, 0);
        Simulation many = played(graph, c, ParallelKind.FSDP2, 2 * world, 0);
        for (int i = 0; i < few.parameters().size(); i++) {
            ParameterMemory before = few.parameters().get(i);
            ParameterMemory after = many.parameters().get(i);
            assertTrue(after.bytes() <= before.bytes(), before::name);
            assertTrue(state(after) <= state(before), before::name);
        }
    }

    private static long state(ParameterMemory p) {
        return p.state().stream().mapToLong(ParameterMemory.State::bytes).sum();
    }

    /** A step reduces every trained parameter that has a gradient once, with its padding. */
    @Property(maxDiscardRatio = 100, tries = 60, seed = MeasuredCasesTest.SEED)
    void aStepReducesEveryGradientOnce(@ForAll("cases") RandomCase c, @ForAll @IntRange(min = 2, max = 5) int world) {
        Graph graph = InBlocks.of(c.model());
        Assume.that(c.run().accumulate() == 1 && c.run().dtype() == null);
        Simulation run = played(graph, c, ParallelKind.FSDP2, world, 0);
        Assume.that(run.parameters().stream().allMatch(p -> p.gradient() >= 0 || !p.requiresGrad()));
        long padded = parameters(graph).stream()
                .filter(p -> p.meta().requiresGrad())
                .mapToLong(p -> ShardLayout.of(sizes(p), world).paddedNumel()
                        * p.meta().dtype().bytes())
                .sum();
        long reduced =
                Traffic.ofLastStep(run.phases(), run.collectives()).getOrDefault(CollectiveKind.REDUCE_SCATTER, 0L);
        assertEquals(padded * world, reduced);
    }
}
