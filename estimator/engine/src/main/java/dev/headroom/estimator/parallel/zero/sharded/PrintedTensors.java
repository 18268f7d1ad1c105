package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.Joining;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * What it takes to write tensors as text (torch/_tensor_str.py). DeepSpeed's stage 3 writes all parameters when it is
 * made, into a message that nobody sees (deepspeed/runtime/zero/stage3.py, DeepSpeedZeroOptimizer_Stage3.__init__).
 */
final class PrintedTensors {
    /** More elements than these are not all written (PRINT_OPTS.threshold). */
    private static final int THRESHOLD = 1000;

    /** Entries at either end that are written (PRINT_OPTS.edgeitems). */
    private static final int EDGE = 3;

    /** Bytes that CUB asks for to select what is left of up to 1024 elements, of which none is. */
    private static final long[] SELECTION = {1, 1023};

    private final EagerRuntime runtime;
    private final Formula formula;

    PrintedTensors(EagerRuntime runtime) {
        this.runtime = runtime;
        this.formula = new Formula(runtime);
    }

    /** {@code repr(t)}. */
    void print(Tensor t) {
        if (t.numel() == 0) {
            return;
        }
        try (Frame frame = runtime.frame()) {
            look(t.numel() > THRESHOLD ? summary(t) : t);
        }
    }

    /** _Formatter: which numbers there are. */
    private void look(Tensor t) {
        Tensor absolute = formula.op(t);
        Tensor bounded = formula.test(absolute);
        Tensor number = formula.test(t);
        Tensor finite = formula.test(bounded, number);
        runtime.free(number);
        runtime.free(bounded);
        runtime.free(absolute);
        Tensor nonzero = formula.test(t);
        Tensor both = formula.test(finite, nonzero);
        runtime.free(finite);
        runtime.free(nonzero);
        Tensor count = runtime.empty(DType.INT32, 1);
        for (long bytes : SELECTION) {
            runtime.free(runtime.scratch(bytes));
        }
        runtime.free(count);
        runtime.free(both);
    }

    /** get_summarized_data. */
    private Tensor summary(Tensor t) {
        if (t.dim() == 0) {
            return t;
        }
        boolean cut = t.size(0) > 2 * EDGE;
        if (t.dim() == 1) {
            return cut ? Joining.cat(runtime, 0, rows(t, 0, EDGE), rows(t, t.size(0) - EDGE, EDGE)) : t;
        }
        try (Frame frame = runtime.frame()) {
            List<Tensor> parts = new ArrayList<>();
            for (long i = 0; i < t.size(0); i++) {
                if (!cut || i < EDGE || i >= t.size(0) - EDGE) {
                    parts.add(summary(row(t, i)));
                }
            }
            return frame.keep(Joining.stack(runtime, 0, parts.toArray(Tensor[]::new)));
        }
    }

    private Tensor rows(Tensor t, long from, long count) {
        return runtime.reinterpret(t, new long[] {count}, t.strides(), t.offset() + from * t.stride(0));
    }

    private Tensor row(Tensor t, long i) {
        long[] sizes = java.util.Arrays.copyOfRange(t.sizes(), 1, t.dim());
        long[] strides = java.util.Arrays.copyOfRange(t.strides(), 1, t.dim());
        return runtime.reinterpret(t, sizes, strides, t.offset() + i * t.stride(0));
    }
}
