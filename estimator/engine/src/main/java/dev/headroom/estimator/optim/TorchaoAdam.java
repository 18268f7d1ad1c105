package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code torchao.optim.Adam8bit}, {@code Adam4bit}, {@code AdamFp8} and their AdamW: both moments in few bits with a
 * float32 scale a block, and a table of codes for each moment of each parameter (torchao 0.18, optim/adam.py,
 * subclass_8bit.py and its like). Parameters of fewer than 4096 elements, or of a number that blocks do not
 * divide, keep moments of their own type. The step is compiled for each shape. Inductor makes new scales, and
 * where codes are looked up in a table the moments before they are coded; for four bits also the codes, as
 * int64, before they are packed (as its code of PyTorch 2.14 does with a warm cache; what tuning takes in a
 * first run is not counted).
 */
final class TorchaoAdam implements Optimizer {
    private static final long SMALLEST_QUANTISED = 4096;
    private static final int MOMENTS = 2;

    /** How moments are kept. */
    enum Codes {
        INT8(DType.UINT8, 256, 1, 256),
        INT4(DType.UINT8, 128, 2, 16),
        /** The Trainer gives both kinds of codes the same blocks (transformers, trainer_optimizer.py). */
        INT4_WIDE(DType.UINT8, 256, 2, 16),
        FP8(DType.FLOAT8_E4M3FN, 256, 1, 0);

        private final DType type;
        private final long block;
        private final int packed;
        private final long table;

        /**
         * @param block elements that share a scale
         * @param packed elements in one of the type
         * @param table entries of the table of codes; 0 for none
         */
        Codes(DType type, long block, int packed, long table) {
            this.type = type;
            this.block = block;
            this.packed = packed;
            this.table = table;
        }
    }

    private final OptimizerState state;
    private final EagerRuntime rt;
    private final Codes codes;

    TorchaoAdam(OptimizerState state, Codes codes) {
        this.state = state;
        this.rt = state.runtime();
        this.codes = codes;
    }

    @Override
    public void step() {
        for (int i : state.withGradient()) {
            state.function(() -> {
                if (state.isNew(i)) {
                    initState(i);
                }
                if (quantised(i)) {
                    compiledStep(state.parameter(i).numel());
                }
            });
        }
    }

    /** _new_buffer. */
    private boolean quantised(int i) {
        long n = state.parameter(i).numel();
        return n >= SMALLEST_QUANTISED && n % codes.block == 0;
    }

    private void initState(int i) {
        Tensor p = state.parameter(i);
        for (int moment = 0; moment < MOMENTS; moment++) {
            if (!quantised(i)) {
                state.addLike(i, p.dtype());
                continue;
            }
            if (codes.packed == 1) {
                state.add(i, codes.type, p.sizes());
            } else {
                state.add(i, codes.type, p.numel() / codes.packed);
            }
            state.add(i, DType.FLOAT32, p.numel() / codes.block);
            if (codes.table > 0) {
                state.add(i, DType.FLOAT32, codes.table);
            }
        }
    }

    /** single_param_adam, compiled. */
    private void compiledStep(long elements) {
        List<Tensor> buffers = new ArrayList<>(each(DType.FLOAT32, elements / codes.block));
        if (codes.table > 0) {
            buffers.addAll(each(DType.FLOAT32, elements));
        }
        if (codes.packed > 1) {
            buffers.addAll(each(DType.INT64, elements));
        }
        rt.freeAll(buffers);
    }

    private List<Tensor> each(DType type, long elements) {
        List<Tensor> out = new ArrayList<>(MOMENTS);
        for (int moment = 0; moment < MOMENTS; moment++) {
            out.add(rt.empty(type, elements));
        }
        return out;
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }
}
