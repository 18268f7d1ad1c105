package dev.headroom.executor.optim;

import dev.headroom.executor.kernel.ExchangeKernels;
import dev.headroom.executor.quant.Blocks;
import dev.headroom.executor.quant.CodeBook;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * bitsandbytes' Adam and AdamW with states of eight bits (bitsandbytes/optim/optimizer.py, Optimizer2State;
 * backends/default/ops.py, optimizer_update_8bit_blockwise). Small parameters keep float32 states.
 */
final class BlockwiseAdam extends StatefulOptimizer {
    private static final int SMALLEST = 4096;
    private static final int BLOCK = 256;
    private static final double BETA1 = 0.9;
    private static final double BETA2 = 0.999;
    private static final double EPS = 1e-8;

    /**
     * What is kept for a parameter.
     *
     * @param scales of the moments' blocks, or {@code null} where they are no codes
     */
    private record State(Tensor first, Tensor second, Tensor @Nullable [] scales, int[] steps) {}

    private final IdentityHashMap<Tensor, State> states = new IdentityHashMap<>();
    private final boolean decoupled;
    private boolean tabled;

    /** @param decoupled AdamW's weight decay; Adam's comes with the gradient */
    BlockwiseAdam(Eager eager, List<Tensor> parameters, boolean decoupled, Hyperparameters h) {
        super(eager, parameters, Implementation.FOR_LOOP, h);
        this.decoupled = decoupled;
    }

    @Override
    public void step() {
        for (Tensor p : parameters) {
            if (p.grad() != null) {
                update(p, states.computeIfAbsent(p, this::initial));
            }
        }
    }

    @Override
    public void step(Tensor scale, Tensor foundInf) {
        step();
    }

    private State initial(Tensor p) {
        if (p.elements() < SMALLEST) {
            return new State(
                    math.keptZeros(DType.FLOAT32, p.sizes()),
                    math.keptZeros(DType.FLOAT32, p.sizes()),
                    null,
                    new int[1]);
        }
        if (!tabled) {
            eager.backend().exchange().set(math.keptZeros(DType.FLOAT32, 256), CodeBook.DYNAMIC.numbers());
            eager.backend().exchange().set(math.keptZeros(DType.FLOAT32, 256), CodeBook.UNSIGNED.numbers());
            tabled = true;
        }
        Tensor first = math.keptZeros(DType.UINT8, p.sizes());
        Tensor second = math.keptZeros(DType.UINT8, p.sizes());
        long blocks = (p.elements() + BLOCK - 1) / BLOCK;
        Tensor[] scales = {math.keptZeros(DType.FLOAT32, blocks), math.keptZeros(DType.FLOAT32, blocks)};
        return new State(first, second, scales, new int[1]);
    }

    private static double[] moments(ExchangeKernels x, State s, int which) {
        double[] kept = x.computed(which == 0 ? s.first : s.second);
        return s.scales == null ? kept : Blocks.numbers(kept, x.computed(s.scales[which]), BLOCK, book(which));
    }

    private static CodeBook book(int which) {
        return which == 0 ? CodeBook.DYNAMIC : CodeBook.UNSIGNED;
    }

    private static void keep(ExchangeKernels x, State s, int which, double[] moments) {
        Tensor into = which == 0 ? s.first : s.second;
        if (s.scales == null) {
            x.set(into, moments);
            return;
        }
        double[] scales = Blocks.scales(moments, BLOCK);
        x.set(s.scales[which], scales);
        x.set(into, Blocks.codes(moments, scales, BLOCK, book(which)));
    }

    private void update(Tensor p, State s) {
        s.steps[0]++;
        ExchangeKernels x = eager.backend().exchange();
        double[] values = x.values(p);
        if (values != null) {
            double[] grads = x.computed(p.givenGrad());
            double[] first = moments(x, s, 0);
            double[] second = moments(x, s, 1);
            double correction1 = 1 - Math.pow(BETA1, s.steps[0]);
            double correction2 = Math.sqrt(1 - Math.pow(BETA2, s.steps[0]));
            double rate = h.learningRate() * correction2 / correction1;
            for (int i = 0; i < values.length; i++) {
                double g = decoupled ? grads[i] : grads[i] + h.weightDecay() * values[i];
                first[i] = BETA1 * first[i] + (1 - BETA1) * g;
                second[i] = BETA2 * second[i] + (1 - BETA2) * g * g;
                double shrunk = decoupled ? values[i] * (1 - h.learningRate() * h.weightDecay()) : values[i];
                values[i] = shrunk - rate * first[i] / (Math.sqrt(second[i]) + EPS * correction2);
            }
            keep(x, s, 0, first);
            keep(x, s, 1, second);
            x.set(p, values);
        }
        p.storage().changed();
    }
}
