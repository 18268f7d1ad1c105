package dev.headroom.estimator.optim;

import static dev.headroom.model.scenario.ScenarioSettings.FOREACH;
import static dev.headroom.model.scenario.ScenarioSettings.FUSED;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Small cases, worked by hand: float32 vectors of 100 (400 bytes) and 1000 (4000 bytes). */
class OptimizersTest {
    private static Scenario run(OptimizerKind kind, String torch) {
        Scenario run = Scenario.defaults().with(OPTIMIZER, kind).with(TORCH, TorchVersion.of(torch));
        return run;
    }

    private static Bench twoVectors() {
        Bench bench = new Bench();
        bench.parameter(DType.FLOAT32, true, 100);
        bench.parameter(DType.FLOAT32, true, 1000);
        return bench;
    }

    private static List<Long> secondStep(Bench bench, Scenario run) {
        Optimizer optimizer = bench.optimizer(run);
        optimizer.step();
        bench.events();
        optimizer.step();
        return bench.events();
    }

    @Test
    void adamMakesTwoMomentsThenTheRoots() {
        Bench bench = twoVectors();
        Optimizer adam = bench.optimizer(run(OptimizerKind.ADAM, "2.14"));
        assertEquals(List.of(), bench.events());
        adam.step();
        assertEquals(List.of(400L, 400L, 4000L, 4000L, 400L, 4000L, -4000L, -400L), bench.events());
        assertEquals(800, adam.stateBytes(0));
        assertEquals(8000, adam.stateBytes(1));
    }

    @Test
    void oneAfterTheOtherKeepsTheLastDenominator() {
        Scenario run = run(OptimizerKind.ADAM, "2.14").with(FOREACH, Scenario.Foreach.FALSE);
        // root and quotient of the first, root freed; the same of the second while the first quotient is still bound
        assertEquals(List.of(400L, 400L, -400L, 4000L, 4000L, -4000L, -400L, -4000L), secondStep(twoVectors(), run));
    }

    @Test
    void beforeForeachBecameTheDefault() {
        assertEquals(
                List.of(400L, 400L, -400L, 4000L, 4000L, -4000L, -400L, -4000L),
                secondStep(twoVectors(), run(OptimizerKind.ADAMW, "1.8")));
    }

    @Test
    void addingEpsMadeAListIn20() {
        assertEquals(
                List.of(400L, 4000L, 400L, 4000L, -4000L, -400L, -4000L, -400L),
                secondStep(twoVectors(), run(OptimizerKind.ADAM, "2.0")));
        assertEquals(List.of(400L, 4000L, -4000L, -400L), secondStep(twoVectors(), run(OptimizerKind.ADAM, "2.1")));
    }

    @Test
    void adagradMadeFourListsIn20() {
        Bench bench = new Bench();
        bench.parameter(DType.FLOAT32, true, 100);
        // roots, roots plus eps (roots freed), scaled gradients, quotients (scaled freed); then both names end
        assertEquals(
                List.of(400L, 400L, -400L, 400L, 400L, -400L, -400L, -400L),
                secondStep(bench, run(OptimizerKind.ADAGRAD, "2.0")));
    }

    @ParameterizedTest
    @CsvSource({"2.0, 400, 2000", "2.1, 2000, 400", "2.14, 2000, 400"})
    void typesComeInTheOrderOfTheirGroups(String torch, long first, long second) {
        Bench bench = new Bench();
        bench.parameter(DType.FLOAT32, true, 100);
        bench.parameter(DType.BFLOAT16, true, 1000);
        Optimizer sgd = bench.optimizer(run(OptimizerKind.SGD_MOMENTUM, torch));
        sgd.step();
        assertEquals(List.of(first, second), bench.events());
    }

    @Test
    void sparseAdamRefusesDenseGradients() {
        Bench bench = new Bench();
        bench.parameter(DType.FLOAT32, true, 1000);
        Optimizer optimizer = bench.optimizer(run(OptimizerKind.SPARSE_ADAM, "2.14"));
        String said = assertThrows(UserInputException.class, optimizer::step).getMessage();
        assertTrue(said.contains("make its embedding sparse=True"), said);
    }

    @Test
    void onlyWhatHasAGradientGetsState() {
        for (OptimizerKind kind : OptimizerKind.values()) {
            if (kind == OptimizerKind.NONE || kind == OptimizerKind.SGD || kind == OptimizerKind.MUON) {
                continue;
            }
            if (kind == OptimizerKind.SPARSE_ADAM || kind == OptimizerKind.LBFGS) {
                continue; // one takes sparse gradients alone, the other a closure
            }
            if (kind == OptimizerKind.LOMO || kind == OptimizerKind.GROKADAMW) {
                continue; // they keep nothing on the device
            }
            Bench bench = new Bench();
            bench.parameter(DType.FLOAT32, false, 100);
            bench.parameter(DType.FLOAT32, true, 1000);
            Optimizer optimizer = bench.optimizer(run(kind, "2.14"));
            optimizer.step();
            // The constructors of Adagrad and AdaLomo do not look at requires_grad.
            boolean ofAll = kind == OptimizerKind.ADAGRAD || kind == OptimizerKind.ADALOMO;
            assertEquals(ofAll ? 400 : 0, optimizer.stateBytes(0), kind.option());
            assertTrue(optimizer.stateBytes(1) > 0, kind.option());
        }
    }

    @Test
    void fusedKernelsKeepTheirStepsOnTheGpu() {
        Scenario run = run(OptimizerKind.ADAMW, "2.14").with(FUSED, true);
        Bench bench = new Bench();
        bench.parameter(DType.FLOAT32, true, 100);
        Optimizer adam = bench.optimizer(run);
        adam.step();
        assertEquals(List.of(4L, 400L, 400L), bench.events());
    }

    @Test
    void adafactorKeepsARowAndAColumn() {
        Bench bench = new Bench();
        bench.parameter(DType.FLOAT32, true, 30, 50);
        bench.parameter(DType.FLOAT32, true, 100);
        Optimizer adafactor = bench.optimizer(run(OptimizerKind.ADAFACTOR, "2.14"));
        adafactor.step();
        assertEquals(4 * (30 + 50), adafactor.stateBytes(0));
        assertEquals(400, adafactor.stateBytes(1));
    }

    @Test
    void noneIsNone() {
        assertNull(twoVectors().optimizer(run(OptimizerKind.NONE, "2.14")));
    }

    @ParameterizedTest
    @CsvSource({
        "ADAFACTOR, 2.4, AUTO, false, from 2.5 on",
        "RMSPROP, 2.14, AUTO, true, no fused CUDA kernel",
        "ADAGRAD, 2.11, AUTO, true, no fused CUDA kernel",
        "SGD, 2.2, AUTO, true, no fused CUDA kernel",
        "ADAM, 1.8, TRUE, false, from 1.12 on",
        "ADAM, 2.14, TRUE, true, cannot be combined"
    })
    void refusesWhatThatPyTorchRefuses(
            OptimizerKind kind, String torch, Scenario.Foreach foreach, boolean fused, String message) {
        Scenario run = run(kind, torch).with(FOREACH, foreach).with(FUSED, fused);
        String said = assertThrows(UserInputException.class, () -> twoVectors().optimizer(run))
                .getMessage();
        assertTrue(said.contains(message), said);
    }
}
