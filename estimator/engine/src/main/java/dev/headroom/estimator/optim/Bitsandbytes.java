package dev.headroom.estimator.optim;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.optim.state.BlockwiseState;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The optimizers of bitsandbytes 0.50.2 (optim/optimizer.py): parameter by parameter, first its state, then a kernel
 * that works in place. Quantised states have a float32 scale for every 256 elements; parameters of fewer than 4096
 * elements keep float32. The code tables go to the GPU with the first quantised parameter. Of paged optimizers,
 * states of 100,000 elements or more lie in managed memory, which the caching allocator does not see. {@code
 * galore_torch.GaLoreAdamW8bit} lets these kernels step a projected gradient in the parameter's place (galore_torch
 * 1.0, adamw8bit.py).
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
    private final Projection projection;
    private Set<Tensor> wide = Set.of();

    /** The projected gradient that is stepped; {@code null} for none. */
    private @Nullable Tensor shaped;

    Bitsandbytes(OptimizerState state, BlockwiseState keeps, int rank) {
        this.state = state;
        this.projection = new Projection(state, rank, false);
        this.rt = state.runtime();
        this.keeps = keeps;
        this.made = new boolean[state.size()];
    }

    @Override
    public void step() {
        for (int i : state.withGradient()) {
            state.function(() -> {
                if (projection.has(i)) {
                    projected(i);
                } else {
                    update(i);
                }
            });
        }
    }

    /** init_state and update_step. */
    private void update(int i) {
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
    }

    /** The parameter's data are a projected gradient's while it is stepped; then what was saved, with the update. */
    private void projected(int i) {
        Tensor p = state.parameter(i);
        Tensor low = projection.project(i, state.gradient(i));
        Tensor saved = OptimizerArithmetic.copy(rt, p);
        Tensor data = OptimizerArithmetic.copy(rt, low);
        rt.setData(p, saved, saved.strides(), 0);
        rt.setGrad(p, low);
        shaped = low;
        update(i);
        shaped = null;
        rt.free(projection.back(i, low));
        rt.free(data);
    }

    /** What the kernels step: the parameter, or what lies in its place. */
    private Tensor stepped(int i) {
        return shaped == null ? state.parameter(i) : shaped;
    }

    @Override
    public void project(Set<Tensor> parameters) {
        projection.of(parameters);
    }

    private void checkType(Tensor gradient) {
        if (gradient.dtype() == DType.BFLOAT16 && !keeps.bf16()) {
            throw new UserInputException("`optimizer`: the float32 kernels of this optimizer of bitsandbytes, which"
                    + " also step small parameters, refuse bfloat16 gradients; take `dtype=fp32` or another optimizer");
        }
    }

    private boolean quantised(int i) {
        return keeps.quantised() && stepped(i).numel() >= SMALLEST_QUANTISED && !wide.contains(state.parameter(i));
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
        Tensor p = stepped(i);
        if (keeps.paged() && p.numel() >= SMALLEST_PAGED) {
            rt.devices().page(p.numel() * type.bytes() * (keeps.first() + (keeps.second() ? 1 : 0)));
            return;
        }
        if (keeps.first() > 1) {
            long[] sizes = LongStream.concat(LongStream.of(keeps.first()), LongStream.of(p.sizes()))
                    .toArray();
            state.add(i, type, sizes);
        } else {
            state.addLike(i, type, p);
        }
        if (keeps.second()) {
            state.addLike(i, type, p);
        }
    }

    private void scales(int i, boolean quantised) {
        if (!quantised) {
            return;
        }
        long blocks = Bytes.ceilDiv(stepped(i).numel(), BLOCK);
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
        Tensor p = stepped(i);
        if (p.dtype() == DType.FLOAT32) {
            rt.free(OptimizerArithmetic.norm(rt, p));
            return;
        }
        Tensor wide = rt.emptyStrided(DType.FLOAT32, p.sizes(), Shapes.preserved(p.sizes(), p.strides()));
        Tensor norm = OptimizerArithmetic.norm(rt, wide);
        rt.free(wide);
        rt.free(norm);
    }

    /** Managed memory is none of a parameter's state, and projections count steps. */
    @Override
    public boolean showsAll() {
        return !keeps.paged() && !projection.any();
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }
}
