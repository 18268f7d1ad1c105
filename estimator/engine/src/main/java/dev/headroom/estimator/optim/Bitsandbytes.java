package dev.headroom.estimator.optim;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * The optimizers of bitsandbytes 0.50.2 (optim/optimizer.py): parameter by parameter, first its state, then a kernel
 * that works in place. Quantised states have a float32 scale for every 256 elements; parameters of fewer than 4096
 * elements keep float32. The code tables go to the GPU with the first quantised parameter. Of paged optimizers,
 * states of 100,000 elements or more lie in managed memory, which the caching allocator does not see.
 */
final class Bitsandbytes implements Optimizer {
    private static final long SMALLEST_QUANTISED = 4096;
    private static final long SMALLEST_PAGED = 100_000;
    private static final long BLOCK = 256;
    private static final long CODES = 256;

    private final OptimizerState state;
    private final EagerRuntime rt;
    private final BlockwiseState keeps;
    private boolean hasTables;
    private final boolean[] made;
    private Set<Tensor> wide = Set.of();

    Bitsandbytes(OptimizerState state, BlockwiseState keeps) {
        this.state = state;
        this.rt = state.runtime();
        this.keeps = keeps;
        this.made = new boolean[state.size()];
    }

    @Override
    public void step() {
        for (int i : state.withGradient()) {
            state.function(() -> {
                if (!made[i]) {
                    initState(i);
                    made[i] = true;
                }
                if (!quantised(i)) {
                    checkType(state.gradient(i));
                    if (keeps.limited()) {
                        parameterNorm(i);
                    }
                }
            });
        }
    }

    private void checkType(Tensor gradient) {
        if (gradient.dtype() == DType.BFLOAT16 && !keeps.bf16()) {
            throw new UserInputException("`optimizer`: the float32 kernels of this optimizer of bitsandbytes, which"
                    + " also step small parameters, refuse bfloat16 gradients; take `dtype=fp32` or another optimizer");
        }
    }

    private boolean quantised(int i) {
        Tensor p = state.parameter(i);
        return keeps.quantised() && p.numel() >= SMALLEST_QUANTISED && !wide.contains(p);
    }

    @Override
    public void widen(Set<Tensor> parameters) {
        wide = Set.copyOf(parameters);
    }

    /** init_state; AdEMAMix makes the scales before the codes. */
    private void initState(int i) {
        boolean quantised = quantised(i);
        DType type = quantised ? DType.UINT8 : DType.FLOAT32;
        if (quantised) {
            tables(i);
        }
        if (keeps.first() > 1) {
            scales(i, quantised);
            moments(i, type);
        } else {
            moments(i, type);
            scales(i, quantised);
        }
        if (keeps.limited()) {
            state.add(i, DType.FLOAT32, 1); // unorm_vec
        }
    }

    private void tables(int i) {
        if (hasTables) {
            return;
        }
        hasTables = true;
        state.add(i, DType.FLOAT32, CODES);
        if (keeps.second()) {
            state.add(i, DType.FLOAT32, CODES);
        }
    }

    private void moments(int i, DType type) {
        Tensor p = state.parameter(i);
        if (keeps.paged() && p.numel() >= SMALLEST_PAGED) {
            rt.devices().page(p.numel() * type.bytes() * (keeps.first() + (keeps.second() ? 1 : 0)));
            return;
        }
        if (keeps.first() > 1) {
            long[] sizes = LongStream.concat(LongStream.of(keeps.first()), LongStream.of(p.sizes()))
                    .toArray();
            state.add(i, type, sizes);
        } else {
            state.addLike(i, type);
        }
        if (keeps.second()) {
            state.addLike(i, type);
        }
    }

    private void scales(int i, boolean quantised) {
        if (!quantised) {
            return;
        }
        long blocks = Bytes.ceilDiv(state.parameter(i).numel(), BLOCK);
        if (keeps.first() > 1) {
            state.add(i, DType.FLOAT32, keeps.first(), blocks);
        } else {
            state.add(i, DType.FLOAT32, blocks);
        }
        if (keeps.second()) {
            state.add(i, DType.FLOAT32, blocks);
        }
    }

    /** {@code torch.norm(p.data.float())}, which the kernels of float32 states are given (functional.py). */
    private void parameterNorm(int i) {
        Tensor p = state.parameter(i);
        if (p.dtype() == DType.FLOAT32) {
            rt.free(OptimizerArithmetic.norm(rt, p));
            return;
        }
        Tensor wide = rt.emptyStrided(DType.FLOAT32, p.sizes(), Shapes.preserved(p.sizes(), p.strides()));
        Tensor norm = OptimizerArithmetic.norm(rt, wide);
        rt.free(wide);
        rt.free(norm);
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }
}
