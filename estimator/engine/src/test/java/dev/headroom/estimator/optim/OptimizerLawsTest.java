package dev.headroom.estimator.optim;

import static dev.headroom.model.scenario.ScenarioSettings.AMSGRAD;
import static dev.headroom.model.scenario.ScenarioSettings.CENTERED;
import static dev.headroom.model.scenario.ScenarioSettings.FOREACH;
import static dev.headroom.model.scenario.ScenarioSettings.MOMENTUM;
import static dev.headroom.model.scenario.ScenarioSettings.NESTEROV;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;
import static dev.headroom.model.scenario.ScenarioSettings.WEIGHT_DECAY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.OptimizerOptions;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What holds for any parameters. */
class OptimizerLawsTest {
    private record Shape(DType type, List<Long> sizes, boolean trained) {}

    @Provide
    Arbitrary<List<Object>> shapes() {
        Arbitrary<DType> types = Arbitraries.of(DType.FLOAT32, DType.BFLOAT16, DType.FLOAT16);
        Arbitrary<List<Long>> sizes = Arbitraries.longs().between(1, 40).list().ofMaxSize(4);
        return net.jqwik.api.Combinators.combine(types, sizes, Arbitraries.of(true, true, false))
                .as((t, s, g) -> (Object) new Shape(t, s, g))
                .list()
                .ofMinSize(1)
                .ofMaxSize(8);
    }

    /** They take matrices alone, and sparse gradients alone. */
    private static final Set<OptimizerKind> OF_SOME =
            Set.of(OptimizerKind.MUON, OptimizerKind.SPARSE_ADAM, OptimizerKind.LBFGS);

    @Provide
    Arbitrary<Scenario> runs() {
        Arbitrary<Boolean> flag = Arbitraries.of(true, false);
        return net.jqwik.api.Combinators.combine(
                        Arbitraries.of(OptimizerKind.values()).filter(k -> k.isOfTorch() && !OF_SOME.contains(k)),
                        Arbitraries.of(Scenario.Foreach.values()),
                        flag,
                        flag,
                        flag,
                        Arbitraries.of("2.0", "2.6", "2.14"))
                .as((kind, foreach, decay, first, second, torch) -> {
                    Scenario run = Scenario.defaults()
                            .with(OPTIMIZER, kind)
                            .with(FOREACH, foreach)
                            .with(TORCH, TorchVersion.of(kind == OptimizerKind.ADAFACTOR ? "2.14" : torch))
                            .with(WEIGHT_DECAY, decay)
                            .with(AMSGRAD, first)
                            .with(MOMENTUM, first)
                            .with(NESTEROV, second)
                            .with(CENTERED, second);
                    return run;
                });
    }

    private static Bench bench(List<Object> shapes) {
        Bench bench = new Bench();
        for (Object o : shapes) {
            Shape s = (Shape) o;
            bench.parameter(
                    s.type,
                    s.trained,
                    s.sizes.stream().mapToLong(Long::longValue).toArray());
        }
        return bench;
    }

    private static long copies(OptimizerKind kind, OptimizerOptions o) {
        return switch (kind) {
            case SGD -> 0;
            case SGD_MOMENTUM, ADAGRAD -> 1;
            case ADAM, ADAMW -> o.amsgrad() ? 3 : 2;
            case RMSPROP -> 1 + (o.momentum() ? 1 : 0) + (o.centered() ? 1 : 0);
            default -> kind.state().size();
        };
    }

    @Property
    void stateIsAMultipleOfTheParameter(@ForAll("shapes") List<Object> shapes, @ForAll("runs") Scenario run) {
        Assume.that(run.optimizer().kind() != OptimizerKind.ADAFACTOR);
        Assume.that(run.optimizer().kind() != OptimizerKind.ASGD); // three numbers beside a copy
        Bench bench = bench(shapes);
        Optimizer optimizer = bench.optimizer(run);
        optimizer.step();
        for (int i = 0; i < shapes.size(); i++) {
            Tensor p = bench.parameters.get(i);
            boolean has = p.grad() != null || run.optimizer().kind() == OptimizerKind.ADAGRAD;
            assertEquals(
                    has ? copies(run.optimizer().kind(), run.optimizer().options()) * p.nbytes() : 0,
                    optimizer.stateBytes(i));
        }
    }

    @Property
    void adafactorNeverKeepsMoreThanAdam(@ForAll("shapes") List<Object> shapes) {
        Scenario run = Scenario.defaults().with(OPTIMIZER, OptimizerKind.ADAFACTOR);
        Bench bench = bench(shapes);
        Optimizer optimizer = bench.optimizer(run);
        optimizer.step();
        for (int i = 0; i < shapes.size(); i++) {
            assertTrue(optimizer.stateBytes(i) <= 2 * bench.parameters.get(i).nbytes());
        }
    }

    @Property
    void laterStepsLeaveNothingBehind(@ForAll("shapes") List<Object> shapes, @ForAll("runs") Scenario run) {
        Bench bench = bench(shapes);
        Optimizer optimizer = bench.optimizer(run);
        optimizer.step();
        long after = bench.allocated();
        bench.events();
        optimizer.step();
        List<Long> second = bench.events();
        assertEquals(0, second.stream().mapToLong(Long::longValue).sum());
        assertEquals(after, bench.allocated());
        optimizer.step();
        assertEquals(second, bench.events());
    }
}
