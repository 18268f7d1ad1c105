package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.zero.base.DeviceMath;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a step of stage 3 looks at before it steps (deepspeed/runtime/zero/stage3.py). */
final class ShardedNorms {
    private final EagerRuntime runtime;
    private final Collectives collectives;
    private final DeviceMath math;
    private final int stream;

    /** @param stream on which gradients were reduced */
    ShardedNorms(EagerRuntime runtime, Collectives collectives, int stream) {
        this.runtime = runtime;
        this.collectives = collectives;
        this.math = new DeviceMath(runtime);
        this.stream = stream;
    }

    /**
     * has_overflow.
     *
     * @param parts the flat buffer of all parts; {@code null} while it is in the host's memory
     */
    void checkOverflow(@Nullable Tensor parts) {
        try (Frame frame = runtime.frame()) {
            int before = runtime.streams().use(stream);
            if (parts != null) {
                runtime.free(any(math.isInfinite(parts)));
                runtime.free(any(math.isNone(parts)));
            }
            Tensor flag = runtime.empty(DType.BOOL, 1);
            Tensor number = runtime.empty(DType.UINT8, 1);
            runtime.free(flag);
            runtime.streams().use(before);
            collectives.runHere(CollectiveKind.ALL_REDUCE, number.nbytes(), DType.UINT8, -1);
            runtime.streams().hostWaits();
        }
    }

    private Tensor any(Tensor test) {
        Tensor out = Reductions.reduce(
                runtime, test, Reductions.mask(null, test.dim()), false, DType.BOOL, DType.BOOL.bytes());
        runtime.free(test);
        return out;
    }

    /** get_grad_norm_direct, of one group. */
    Tensor direct(List<Tensor> parts) {
        try (Frame frame = runtime.frame()) {
            List<Tensor> norms = new ArrayList<>();
            for (Tensor part : parts) {
                norms.add(math.norm(part));
            }
            Tensor sum = math.sumOfSquares(norms, DType.FLOAT64);
            collectives.runHere(CollectiveKind.ALL_REDUCE, sum.nbytes(), sum.dtype(), -1);
            Tensor total = math.function(sum);
            Tensor infinite = math.isInfinite(total);
            Tensor none = math.isNone(total);
            math.either(none, infinite);
            runtime.empty(DType.FLOAT32); // what stands for a number that is none
            Tensor wide = runtime.empty(DType.FLOAT64);
            Tensor out = runtime.emptyLike(total);
            runtime.free(wide);
            return frame.keep(out);
        }
    }

    /**
     * complete_grad_norm_calculation_for_cpu_offload, of one group: the sum of squares is made on the device, and what
     * comes of it is a number of the host's.
     */
    void fromHost(List<Tensor> norms) {
        try (Frame frame = runtime.frame()) {
            Tensor total = null;
            for (Tensor norm : norms) {
                Tensor square = math.function(norm);
                if (total == null) {
                    total = math.function(
                            square); // the number 0 and a tensor: a fresh one, which the others are added to
                }
                runtime.free(square);
            }
            runtime.streams().hostWaits();
            Tensor all = runtime.empty(DType.FLOAT32, 1);
            collectives.runHere(CollectiveKind.ALL_REDUCE, all.nbytes(), all.dtype(), -1);
            Tensor root = runtime.empty(DType.FLOAT32);
            runtime.free(total);
            math.mask(root);
            runtime.streams().hostWaits();
        }
    }
}
