package dev.headroom.estimator.optim;

import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.List;

/**
 * {@code bitsandbytes.optim.Adam8bit} and {@code AdamW8bit}: both moments in one byte an element with a float32 scale
 * for every 256 elements; parameters of fewer than 4096 elements keep float32 moments. The two code tables go to the
 * GPU with the first quantised parameter; the kernel works in place (bitsandbytes 0.50.2, optim/optimizer.py,
 * Optimizer2State.init_state). Read from its source, not recorded.
 */
final class Adam8bit implements Optimizer {
    private static final long SMALLEST_QUANTISED = 4096;
    private static final long BLOCK = 256;
    private static final long CODES = 256;

    private final OptimizerState state;
    private boolean hasTables;

    Adam8bit(OptimizerState state) {
        this.state = state;
    }

    @Override
    public void step() {
        state.function(() -> {
            for (int i : state.withGradient()) {
                if (state.isNew(i)) {
                    initState(i);
                }
            }
        });
    }

    private void initState(int i) {
        Tensor p = state.parameter(i);
        boolean quantised = p.numel() >= SMALLEST_QUANTISED;
        if (quantised && !hasTables) {
            state.add(i, DType.FLOAT32, CODES);
            state.add(i, DType.FLOAT32, CODES);
            hasTables = true;
        }
        DType type = quantised ? DType.UINT8 : DType.FLOAT32;
        state.addLike(i, type);
        state.addLike(i, type);
        if (quantised) {
            long blocks = (p.numel() + BLOCK - 1) / BLOCK;
            state.add(i, DType.FLOAT32, blocks);
            state.add(i, DType.FLOAT32, blocks);
        }
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }
}
