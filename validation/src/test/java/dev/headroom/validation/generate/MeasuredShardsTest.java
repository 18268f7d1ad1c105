package dev.headroom.validation.generate;

import static dev.headroom.model.scenario.ParallelSettings.BUILD;
import static dev.headroom.model.scenario.ParallelSettings.MESH;
import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static dev.headroom.model.scenario.ScenarioSettings.CLIP_GRAD_NORM;

import dev.headroom.executor.measure.HostProvider;
import dev.headroom.executor.measure.MemoryOnlyProvider;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parallel.ShardingOptions;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Predicted equals measured on every rank of {@code fully_shard}, on random models, meshes and options. */
class MeasuredShardsTest {
    private static final Gpu GPU = GpuCatalogue.find("h200").orElseThrow();

    /** How a run is spread. */
    record Spread(List<Integer> mesh, ShardingOptions options, Parallelism.Build build, boolean noSync, boolean clips) {
        Scenario of(Scenario run) {
            int world = mesh.stream().reduce(1, (a, b) -> a * b);
            Scenario spread = run.with(PARALLEL, ParallelKind.FSDP2)
                    .with(WORLD, world)
                    .with(MESH, mesh.size() == 1 ? List.of() : mesh)
                    .with(BUILD, build);
            return spread.withParallel(spread.parallel().withSharding(options).withNoSync(noSync))
                    .with(CLIP_GRAD_NORM, clips && run.precision().amp() != DType.FLOAT16 ? 1.0 : null);
        }
    }

    @Provide
    Arbitrary<Spread> spreads() {
        Arbitrary<Boolean> coin = Arbitraries.of(false, true);
        Arbitrary<DType> type = Arbitraries.of(DType.FLOAT64, DType.FLOAT64, DType.BFLOAT16, DType.FLOAT32);
        Arbitrary<ShardingOptions> options = Combinators.combine(
                        Arbitraries.of(ShardingOptions.Wrap.class), type, type, Arbitraries.of(-1, -1, 0, 1, 2))
                .as((wrap, gathered, reduced, after) -> ShardingOptions.DEFAULTS
                        .withWrap(wrap)
                        .withParamDtype(gathered == DType.FLOAT64 ? null : gathered)
                        .withReduceDtype(reduced == DType.FLOAT64 ? null : reduced)
                        .withReshardAfterForward(after < 0 ? null : after));
        Arbitrary<List<Integer>> meshes = Arbitraries.of(
                List.of(1), List.of(2), List.of(3), List.of(4), List.of(2, 2), List.of(2, 1), List.of(1, 2));
        return Combinators.combine(meshes, options, Arbitraries.of(Parallelism.Build.class), coin, coin)
                .as(Spread::new);
    }

    @Provide
    Arbitrary<RandomCase> cases() {
        return Generators.cases().filter(c -> !c.run().inference());
    }

    @Provide
    Arbitrary<RandomCase> hostCases() {
        return Generators.smallCases()
                .filter(c -> !c.run().inference()
                        && !c.run().allocConf().contains("expandable_segments")
                        && c.run().amp() != DType.FLOAT16);
    }

    /** Operators allocate and free; no kernel computes. */
    @Property(maxDiscardRatio = 100, tries = MeasuredCasesTest.TRIES, seed = MeasuredCasesTest.SEED)
    void withoutComputing(@ForAll("cases") RandomCase c, @ForAll("spreads") Spread spread) {
        Scenario run = spread.of(c.run().training().on(GPU));
        RanksAgree.check(InBlocks.of(c.model()), run, c, new MemoryOnlyProvider());
    }

    /** Every kernel computes, on the host, and collectives carry values. */
    @Property(maxDiscardRatio = 100, tries = 50, seed = MeasuredCasesTest.SEED)
    void onTheHost(@ForAll("hostCases") RandomCase c, @ForAll("spreads") Spread spread) {
        Scenario run = spread.of(c.run().training().on(GPU));
        RanksAgree.check(InBlocks.of(c.model()), run, c, new HostProvider());
    }
}
