package dev.headroom.validation.generate;

import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.app.measure.Comparison;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.executor.cuda.CudaBackend;
import dev.headroom.executor.cuda.CudaProvider;
import dev.headroom.executor.measure.MeasurementRequest;
import dev.headroom.executor.measure.Measurer;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.Scenario;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;

/**
 * Predicted equals measured on this machine's GPU, with the workspaces that its cuDNN takes, on random models: with
 * {@code -Dheadroom.test.cuda=real}, else skipped. Predictions ask the same cuDNN, without the GPU.
 */
@AddLifecycleHook(MeasuredOnGpuTest.OnGpusAlone.class)
class MeasuredOnGpuTest {
    private static CudaBackend backend;
    private static Gpu card;

    /** Skips what needs a GPU where none is to be tested. */
    static final class OnGpusAlone implements SkipExecutionHook {
        @Override
        public SkipResult shouldBeSkipped(LifecycleContext context) {
            return "real".equals(System.getProperty("headroom.test.cuda"))
                    ? SkipResult.doNotSkip()
                    : SkipResult.skip("no GPU is tested without -Dheadroom.test.cuda=real");
        }
    }

    @BeforeContainer
    static void open() {
        card = new CudaProvider().card().orElseThrow();
        backend = CudaBackend.open(0);
    }

    @AfterContainer
    static void close() {
        if (backend != null) {
            backend.close();
        }
    }

    @Provide
    Arbitrary<RandomCase> cases() {
        // Values are real, so that a GradScaler may skip a step, which no prediction can know.
        return Generators.smallCases().filter(c -> c.run().amp() != DType.FLOAT16);
    }

    @Property(maxDiscardRatio = 100, tries = MeasuredCasesTest.TRIES, seed = MeasuredCasesTest.SEED)
    void predictedIsMeasured(@ForAll("cases") RandomCase c) {
        Assume.that(Lacking.nothing(c));
        Scenario run =
                c.run().training().on(card).with(CUDNN_WORKSPACE, CudnnWorkspace.from(Scenario.Workspaces.ASKED));
        Comparison compared = Comparison.of(
                Predictor.predict(new PredictionRequest(c.graph(), run)),
                Measurer.measure(new MeasurementRequest(c.graph(), run, 1, false), backend));
        assertTrue(compared.equal(), () -> compared.different().stream()
                .map(p -> p.title() + "\n  predicted " + p.predicted() + "\n  measured  " + p.measured())
                .collect(Collectors.joining("\n")));
    }
}
