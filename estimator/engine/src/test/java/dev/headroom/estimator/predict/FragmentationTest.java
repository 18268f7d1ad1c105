package dev.headroom.estimator.predict;

import static dev.headroom.model.dsl.Layers.linear;
import static dev.headroom.model.dsl.Layers.relu;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs that fail though they get through in less: allocators do so rarely, and here plays are told to. */
class FragmentationTest {
    private static final long MIB = 1 << 20;

    private static final Graph PERCEPTRON = Model.of(
                    "perceptron", Sequential.of(linear(784, 2000), relu(), linear(2000, 10)))
            .input("x", DType.FLOAT32, Model.BATCH, 784)
            .graph();

    /** Says that less is enough, and how a run under other settings ends. */
    private static final class Told extends Plays {
        private final long least;
        private final boolean expandableHelps;

        Told(long least, boolean expandableHelps) {
            this.least = least;
            this.expandableHelps = expandableHelps;
        }

        @Override
        Simulation run(PredictionRequest request) {
            return expandableHelps && request.scenario().allocConf().contains("expandable")
                    ? unbounded(request)
                    : super.run(request.with(request.scenario().withAllocConf("")));
        }

        @Override
        long least(PredictionRequest request, Simulation played) {
            return least;
        }
    }

    private static PredictionRequest request(long memory, String allocConf) {
        Scenario asked = BATCH.set(Scenario.defaults(), 512L).withAllocConf(allocConf);
        return new PredictionRequest(PERCEPTRON, asked.withDevice(new DeviceBudget(null, memory, 0, null)));
    }

    private static long least() {
        PredictionRequest free = request(64 * MIB, "").unbounded();
        return new Plays().least(free, Predictor.simulate(free));
    }

    private static Prediction failing(String allocConf, boolean expandableHelps) {
        long memory = least() - 2 * MIB;
        PredictionRequest request = request(memory, allocConf);
        Prediction p = Summaries.of(request, Predictor.simulate(request), new Told(memory - 2 * MIB, expandableHelps));
        assertEquals(false, p.verdict().fits());
        return p;
    }

    private static List<String> lines(Prediction p) {
        return p.warnings().stream().filter(w -> w.contains("pieces")).toList();
    }

    @ParameterizedTest
    @CsvSource({
        "'', true, '; with `alloc_conf=expandable_segments:True` it gets through'",
        "'', false, ', also with `alloc_conf=expandable_segments:True`'",
        "roundup_power2_divisions:1, true,"
                + " '; with `alloc_conf=roundup_power2_divisions:1,expandable_segments:True` it gets through'"
    })
    void saysThatNoMemoryIsMissingAndWhetherSegmentsThatExpandHelp(String conf, boolean helps, String end) {
        Prediction p = failing(conf, helps);
        assertNull(p.verdict().headroom());
        assertEquals(1, lines(p).size());
        assertTrue(lines(p).get(0).endsWith("none of which holds the request" + end), lines(p).toString());
    }

    @Test
    void proposesNothingThatIsSetAlready() {
        PredictionRequest free = request(64 * MIB, "expandable_segments:True").unbounded();
        long memory = new Plays().least(free, Predictor.simulate(free)) - 2 * MIB;
        PredictionRequest request = request(memory, "expandable_segments:True");
        Prediction p = Summaries.of(request, Predictor.simulate(request), new Told(memory, false));
        assertEquals(1, lines(p).size());
        assertTrue(lines(p).get(0).endsWith("holds the request"), lines(p).toString());
    }

    @ParameterizedTest
    @ValueSource(longs = {-2, 0})
    void saysNothingWhereMemoryIsMissingOrTheRunGetsThrough(long mib) {
        PredictionRequest request = request(least() + mib * MIB, "");
        Prediction p = Predictor.predict(request);
        assertEquals(mib >= 0, p.verdict().fits());
        assertEquals(mib * MIB, mib < 0 ? p.verdict().headroom() : 0);
        assertEquals(List.of(), lines(p));
    }
}
