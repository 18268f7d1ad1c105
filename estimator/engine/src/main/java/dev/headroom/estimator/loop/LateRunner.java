package dev.headroom.estimator.loop;

import dev.headroom.estimator.program.ForwardPass;
import dev.headroom.estimator.program.NodeRuns;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.Tensor;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A forward pass that is made when it is first called: whoever takes its place never needs it. */
final class LateRunner implements ForwardPass {
    private final Supplier<ForwardPass> make;
    private @Nullable ForwardPass made;

    LateRunner(Supplier<ForwardPass> make) {
        this.make = make;
    }

    private ForwardPass made() {
        if (made == null) {
            made = make.get();
        }
        return made;
    }

    @Override
    public Tensor[] run(Map<String, Tensor> inputs) {
        return made().run(inputs);
    }

    @Override
    public void describe(Beginning to) {
        made().describe(to);
    }

    @Override
    public void ranAgain(NodeRuns before, NodeRuns after, IntUnaryOperator numbers) {
        made().ranAgain(before, after, numbers);
    }

    @Override
    public NodeRuns runs() {
        return made().runs();
    }
}
