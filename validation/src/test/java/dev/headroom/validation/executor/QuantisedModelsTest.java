package dev.headroom.validation.executor;

import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.quant.QuantKind;
import dev.headroom.model.scenario.AdapterSettings;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.QuantSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Random models with quantised weights and adapters take, when they are run, what was predicted. */
class QuantisedModelsTest {
    private static final Gpu H200 = GpuCatalogue.find("h200").orElseThrow();
    private static final Gpu RTX4090 = GpuCatalogue.find("rtx-4090").orElseThrow();

    /** @param widths of the layers, the model's input first */
    record Case(List<Integer> widths, boolean bias, boolean rows, DType type, Scenario run, Gpu gpu) {
        Graph graph() {
            List<Layer> layers = new ArrayList<>();
            for (int i = 1; i < widths.size(); i++) {
                layers.add(Layers.linear(widths.get(i - 1), widths.get(i), bias));
                layers.add(i % 2 == 0 ? Layers.layerNorm(widths.get(i)) : Layers.gelu());
            }
            layers.add(Layers.linear(widths.get(widths.size() - 1), 7, true));
            Model model = Model.of("random", Sequential.of(layers.toArray(Layer[]::new)))
                    .type(type);
            int in = widths.get(0);
            return rows
                    ? model.input("x", type, Model.BATCH, 5, in).graph()
                    : model.input("x", type, Model.BATCH, in).graph();
        }
    }

    @Provide
    Arbitrary<Case> cases() {
        Arbitrary<List<Integer>> widths = Arbitraries.of(32, 48, 64, 100, 128, 192, 256)
                .list()
                .ofMinSize(2)
                .ofMaxSize(5);
        Arbitrary<Boolean> coin = Arbitraries.of(true, false);
        Arbitrary<Scenario> runs = Combinators.combine(
                        Arbitraries.of(QuantKind.values()),
                        coin,
                        coin,
                        Arbitraries.of(0, 4, 16),
                        Arbitraries.of(
                                OptimizerKind.ADAMW_8BIT,
                                OptimizerKind.ADAMW,
                                OptimizerKind.SGD,
                                OptimizerKind.ADAM_8BIT),
                        Arbitraries.longs().between(1, 40),
                        Arbitraries.of(1, 2))
                .as(QuantisedModelsTest::run);
        Arbitrary<DType> types = Arbitraries.of(DType.FLOAT32, DType.BFLOAT16, DType.FLOAT16);
        Arbitrary<Scenario> cast =
                Combinators.combine(runs, coin).as((run, amp) -> amp ? run.with(AMP, DType.BFLOAT16) : run);
        return Combinators.combine(widths, coin, coin, types, cast, Arbitraries.of(H200, RTX4090))
                .as(Case::new);
    }

    private static Scenario run(
            QuantKind kind, boolean nested, boolean bare, int rank, OptimizerKind optimizer, long batch, int passes) {
        Scenario run = Scenario.builder()
                .batch(batch)
                .optimizer(optimizer)
                .loss(LossKind.SUM)
                .accumulate(passes)
                .steps(2)
                .build()
                .with(QuantSettings.QUANT, kind)
                .with(QuantSettings.DOUBLE_QUANT, nested && kind.isFourBit());
        if (rank == 0) {
            return run.with(ScenarioSettings.ACCUMULATE, 1)
                    .with(ScenarioSettings.OPTIMIZER, OptimizerKind.NONE)
                    .with(ScenarioSettings.LOSS, LossKind.AUTO)
                    .with(ScenarioSettings.INFERENCE, true);
        }
        return run.with(QuantSettings.NO_KBIT_PREPARE, bare)
                .with(AdapterSettings.LORA, rank)
                .with(AdapterSettings.TARGETS, List.of("all-linear"));
    }

    @Property(tries = 150, seed = "15")
    void withoutComputing(@ForAll("cases") Case c) {
        measured(c, new MemoryOnlyProvider());
    }

    @Property(tries = 60, seed = "16")
    void onTheHost(@ForAll("cases") Case c) {
        measured(c, new HostProvider());
    }

    private static Measurement measured(Case c, BackendProvider provider) {
        Scenario run = c.run().on(c.gpu());
        try (Backend backend = provider.open(c.gpu().memory(), 0)) {
            Measurement measured = Measurer.measure(new MeasurementRequest(c.graph(), run, 1, true), backend);
            Comparison compared = Comparison.of(Predictor.predict(new PredictionRequest(c.graph(), run)), measured);
            assertTrue(compared.equal(), () -> compared.different().stream()
                    .map(p -> p.title() + "\n  predicted " + p.predicted() + "\n  measured  " + p.measured())
                    .collect(Collectors.joining("\n")));
            return measured;
        }
    }

    /** What quantised weights compute is good enough for an adapter to learn from. */
    @Example
    void adaptersLearn() {
        for (QuantKind kind : QuantKind.values()) {
            Scenario run = run(kind, true, false, 8, OptimizerKind.ADAMW_8BIT, 8, 1)
                    .with(ScenarioSettings.LOSS, LossKind.CROSS_ENTROPY)
                    .with(ScenarioSettings.STEPS, 40);
            List<Double> losses = measured(
                            new Case(List.of(64, 128, 64), true, false, DType.FLOAT32, run, H200), new HostProvider())
                    .losses();
            assertEquals(40, losses.size());
            assertTrue(Collections.min(losses) < 0.9 * losses.get(0), losses::toString);
        }
    }
}
