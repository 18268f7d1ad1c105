package dev.headroom.optim;

import dev.headroom.shadow.Frame;
import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Tensor;
import dev.headroom.training.TrainingRun;
import java.util.List;

/**
 * {@code torch.optim.Adam} and {@code AdamW}: two moments, made in the first step; the step counter lies in host memory
 * unless the kernel is fused. A foreach step takes the square roots of all second moments at once, a for-loop step those
 * of one parameter after the other, a fused step none (torch/optim/adam.py).
 */
final class Adam implements Optimizer {
    private final OptimizerState state;
    private final boolean fused;
    private final boolean foreach;

    Adam(OptimizerState state, TrainingRun run) {
        this.state = state;
        this.fused = run.fused;
        this.foreach = run.foreach != TrainingRun.Foreach.FALSE;
    }

    @Override
    public void step() {
        Runtime rt = state.runtime();
        List<Integer> stepped = state.withGradient();
        Frame frame = rt.frame();
        for (int i : stepped) {
            if (state.isNew(i)) {
                if (fused) {
                    state.add(i, dev.headroom.graph.DType.FLOAT32, new long[0], new long[0]);
                }
                state.addLike(i);
                state.addLike(i);
            }
        }
        if (!fused && foreach) {
            for (List<Integer> group : state.groups(stepped)) {
                state.temporaries(group);
            }
        } else if (!fused) {
            for (int i : stepped) {
                // denom = (exp_avg_sq.sqrt() / bias_correction2_sqrt).add_(eps)
                Tensor root = rt.emptyLike(state.parameter(i));
                Tensor scaled = rt.emptyLike(state.parameter(i));
                rt.free(root);
                rt.free(scaled);
            }
        }
        frame.close();
    }

    @Override
    public long stateBytes(int parameter) {
        return state.bytes(parameter);
    }
}
