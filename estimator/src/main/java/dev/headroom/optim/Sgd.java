package dev.headroom.optim;

import dev.headroom.shadow.Frame;
import java.util.List;

/** {@code torch.optim.SGD}: without momentum all is in place; with it, the first step copies each gradient. */
final class Sgd implements Optimizer {
    private final OptimizerState state;
    private final boolean momentum;

    Sgd(OptimizerState state, boolean momentum) {
        this.state = state;
        this.momentum = momentum;
    }

    @Override
    public void step() {
        if (!momentum) {
            return;
        }
        List<Integer> stepped = state.withGradient();
        Frame frame = state.runtime().frame();
        for (List<Integer> group : state.groups(stepped)) {
            for (int i : group) {
                if (state.isNew(i)) {
                    state.addLike(i);
                }
            }
        }
        frame.close();
    }

    @Override
    public long stateBytes(int parameter) {
        return state.bytes(parameter);
    }
}
