package dev.headroom.estimator.op.fused;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.runtime.OnRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * {@code SFTTrainer.compute_loss} of trl 1.16, recorded over null CUDA libraries with outputs of 2 × 128 tokens: bytes
 * of an allocation, or the number of the one that is freed. Nothing is greater than zero there, so that no rate is
 * divided.
 */
class SupervisedLossTest extends OnRuntime {
    private static final String PLAIN = "+1024 +4 +8 +4 -2 +4 -4 +8 +2048 -7 +8 -6 +4 +4 -9 +8 +2048 -12 +8 -11"
            + " +1 -14 +1 -15 +8 +8 -16 -17 outputs -1 -8 -10 -13";
    private static final String BALANCED = "+1024 +4 +8 +4 -2 +4 +4 -4 +4 +4 -7 -6 +8 +2048 -10 +8 -9 +4 +4 -12"
            + " +8 +2048 -15 +8 -14 +1 -17 +1 -18 +8 +8 -19 -20 +4 -21 -5 outputs -1 -11 -13 -16";

    private final StringBuilder events = new StringBuilder();
    private final Map<Integer, Integer> numbers = new HashMap<>();
    private int read;

    /** What happened since it was last asked. */
    private void read() {
        EventLog log = rt.devices().memory(0).log();
        for (; read < log.size(); read++) {
            int storage = log.storage(read);
            if (log.requested(storage) == 0) {
                continue; // a number of Python's
            }
            if (log.isFree(read)) {
                events.append(" -").append(numbers.get(storage));
            } else if (numbers.putIfAbsent(storage, numbers.size() + 1) == null) {
                events.append(" +").append(log.requested(storage));
            }
        }
    }

    private String played(boolean balanced, Function<Tensor, @Nullable Tensor> gather) {
        Tensor[] all = {
            rt.empty(DType.FLOAT32),
            tracked(2, 128),
            rt.empty(DType.FLOAT32, 2, 128),
            rt.empty(DType.BOOL, 2, 128),
            rt.empty(DType.BOOL, 2, 128),
            tracked()
        };
        Tensor mask = rt.empty(DType.INT64, 2, 129);
        rt.setGradMode(true);
        read();
        events.setLength(0);
        numbers.clear();
        SupervisedLoss.of(rt, balanced ? all : Arrays.copyOf(all, 5), mask, gather, () -> {
            read();
            events.append(" outputs");
        });
        read();
        return events.substring(1);
    }

    private Tensor tracked(long... sizes) {
        Tensor t = rt.empty(DType.FLOAT32, sizes);
        rt.requireGrad(t, true);
        return t;
    }

    @Test
    void localsGoAsPythonLetsGoOfThem() {
        assertEquals(PLAIN, played(false, t -> null));
    }

    @Test
    void theBalanceOfExpertsGoesBeforeTheOutputs() {
        assertEquals(BALANCED, played(true, t -> null));
    }

    /** Of every sum, the other ranks' come in a tensor of their own, and the own one goes before the next sum. */
    @Test
    void sumsOfAllRanksTakeThePlaceOfTheirOwn() {
        String gathered = PLAIN.replaceFirst("\\+8 \\+2048 -7 \\+8 -6 .*", "+8 +2048 -7 +16 -6 +8 -8");
        String events = played(false, t -> rt.empty(t.dtype(), 2));
        assertEquals(gathered, events.substring(0, gathered.length()));
    }
}
