package dev.headroom.validation.generate;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.app.measure.Comparison;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.measure.BackendProvider;
import dev.headroom.executor.measure.HostProvider;
import dev.headroom.executor.measure.Measurement;
import dev.headroom.executor.measure.MeasurementRequest;
import dev.headroom.executor.measure.Measurer;
import dev.headroom.executor.measure.MemoryOnlyProvider;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Predicted equals measured, to the byte in every phase, on random models: the same 200 in every build, so that a build
 * that was green stays so; {@link MeasuredCasesNight} looks for others.
 */
class MeasuredCasesTest {
    static final int TRIES = 200;
    static final String SEED = "20261121";

    private static final Gpu GPU = GpuCatalogue.find("h200").orElseThrow();

    @Provide
    Arbitrary<RandomCase> cases() {
        return Generators.cases();
    }

    @Provide
    Arbitrary<RandomCase> hostCases() {
        // The host has no virtual memory to map. Its values are real, so that a GradScaler may skip a step, which no
        // prediction can know.
        return Generators.smallCases()
                .filter(c -> !c.run().allocConf().contains("expandable_segments")
                        && c.run().amp() != DType.FLOAT16);
    }

    /** Operators allocate and free; no kernel computes. */
    @Property(maxDiscardRatio = 100, tries = TRIES, seed = SEED)
    void withoutComputing(@ForAll("cases") RandomCase c) {
        check(c, new MemoryOnlyProvider());
    }

    /** Every kernel computes, on the host. */
    @Property(maxDiscardRatio = 100, tries = TRIES, seed = SEED)
    void onTheHost(@ForAll("hostCases") RandomCase c) {
        check(c, new HostProvider());
    }

    /** As an H100 showed: cuDNN drops a share in whole sixteenths, flash attention any other. */
    @Example
    void attentionThatDrops() {
        for (double dropout : new double[] {0.1, 0.25, 0.5}) {
            RandomLayer attention = new RandomLayer.Attention(19, 48, 2, true, false, true, dropout);
            RandomModel model = new RandomModel(
                    List.of(19L),
                    83,
                    new RandomLayer.LanguageModel(83, 19, 48, new RandomLayer.Chain(List.of(attention)), false, true),
                    List.of());
            check(new RandomCase(model, RandomRun.simplest(DType.BFLOAT16)), new MemoryOnlyProvider());
        }
    }

    private static void check(RandomCase c, BackendProvider provider) {
        try (Backend backend = provider.open(GPU.memory(), 0)) {
            assertPredicted(c, GPU, backend);
        }
    }

    /** Runs a case on a backend and on its prediction; the backend stays open. */
    static void assertPredicted(RandomCase c, Gpu gpu, Backend backend) {
        Assume.that(Lacking.nothing(c));
        Measurement measured = Measurer.measure(
                new MeasurementRequest(c.graph(), c.run().training().on(gpu), 1, false), backend);
        Comparison compared = Comparison.of(
                Predictor.predict(
                        new PredictionRequest(c.graph(), c.run().training().on(gpu))),
                measured);
        assertTrue(compared.equal(), () -> compared.different().stream()
                .map(p -> p.title() + "\n  predicted " + p.predicted() + "\n  measured  " + p.measured())
                .collect(Collectors.joining("\n")));
    }
}
