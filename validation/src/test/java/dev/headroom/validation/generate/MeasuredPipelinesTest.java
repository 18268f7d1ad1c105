package dev.headroom.validation.generate;

import static dev.headroom.model.scenario.ParallelSettings.MICROBATCHES;
import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.SCHEDULE;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHANNELS_LAST;
import static dev.headroom.model.scenario.ScenarioSettings.DROP_OUTPUTS;
import static dev.headroom.model.scenario.ScenarioSettings.INPUT_GRAD;

import dev.headroom.executor.measure.HostProvider;
import dev.headroom.executor.measure.MemoryOnlyProvider;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.Scenario;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Predicted equals measured on every rank of a pipeline, on random models, schedules and microbatches. */
class MeasuredPipelinesTest {
    private static final Gpu GPU = GpuCatalogue.find("h200").orElseThrow();

    /** How a run is spread. */
    record Spread(int world, String schedule, int microbatches) {
        /**
         * A run of a model that has so many modules in a row: as many stages as wished, if there are so many modules.
         * The batch becomes one that can be divided; how buffers of images are laid out is a script's own choice.
         */
        Scenario of(Scenario run, int modules) {
            int ofEach = schedule.endsWith("1F1B") && schedule.length() > 4 || schedule.equals("LoopedBFS") ? 2 : 1;
            int ranks = Math.max(1, Math.min(world, modules / ofEach));
            int parts = Math.max(microbatches, ranks) / ranks * ranks;
            Long batch = run.sizes().batch();
            return run.with(PARALLEL, ParallelKind.PP)
                    .with(WORLD, ranks)
                    .with(SCHEDULE, schedule)
                    .with(MICROBATCHES, parts)
                    .with(BATCH, (batch + parts - 1) / parts * parts)
                    .with(CHANNELS_LAST, false)
                    .with(AMP, null)
                    .with(ACCUMULATE, 1)
                    .with(DROP_OUTPUTS, false)
                    .with(INPUT_GRAD, false);
        }
    }

    private static Scenario spread(RandomCase c, Spread spread) {
        int modules = c.model().root() instanceof RandomLayer.Chain chain
                ? chain.layers().size()
                : 1;
        return spread.of(c.run().training().on(GPU), modules);
    }

    /** A loss that the model computes itself is the schedule's in a prediction; the executor has none of that kind. */
    private static boolean returnsScores(RandomCase c) {
        return !c.run().inference() && !c.model().output().isEmpty();
    }

    @Provide
    Arbitrary<Spread> spreads() {
        return Combinators.combine(
                        Arbitraries.integers().between(1, 4),
                        Arbitraries.of("GPipe", "1F1B", "Interleaved1F1B", "LoopedBFS"),
                        Arbitraries.integers().between(1, 6))
                .as(Spread::new);
    }

    @Provide
    Arbitrary<RandomCase> cases() {
        return Generators.cases().filter(MeasuredPipelinesTest::returnsScores);
    }

    @Provide
    Arbitrary<RandomCase> hostCases() {
        return Generators.smallCases()
                .filter(c -> returnsScores(c) && !c.run().allocConf().contains("expandable_segments"));
    }

    /** Operators allocate and free; no kernel computes. */
    @Property(maxDiscardRatio = 100, tries = MeasuredCasesTest.TRIES, seed = MeasuredCasesTest.SEED)
    void withoutComputing(@ForAll("cases") RandomCase c, @ForAll("spreads") Spread spread) {
        Scenario run = spread(c, spread);
        RanksAgree.check(InBlocks.of(c.model()), run, c, new MemoryOnlyProvider());
    }

    /** Every kernel computes, on the host, and microbatches carry values. */
    @Property(maxDiscardRatio = 100, tries = 50, seed = MeasuredCasesTest.SEED)
    void onTheHost(@ForAll("hostCases") RandomCase c, @ForAll("spreads") Spread spread) {
        Scenario run = spread(c, spread);
        RanksAgree.check(InBlocks.of(c.model()), run, c, new HostProvider());
    }
}
