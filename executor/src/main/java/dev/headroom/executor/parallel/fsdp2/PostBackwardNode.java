package dev.headroom.executor.parallel.fsdp2;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * The last node of a unit's backward pass, before its arguments (_fsdp_param_group.py, RegisterPostBackwardFunction).
 */
final class PostBackwardNode {
    private PostBackwardNode() {}

    /**
     * Arguments behind the node.
     *
     * @param arguments borrowed
     * @param left runs when the backward pass comes to the node
     * @return the same where nothing is recorded, or no argument wants a gradient
     */
    static Tensor[] behind(Eager eager, Tensor[] arguments, Runnable left) {
        List<Integer> differentiable = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].requiresGrad()) {
                differentiable.add(i);
            }
        }
        if (!eager.tape().isEnabled() || differentiable.isEmpty()) {
            return arguments;
        }
        Recorder node = eager.record(
                "RegisterPostBackwardFunctionBackward",
                differentiable.stream().map(i -> arguments[i]).toArray(Tensor[]::new));
        Tensor[] out = arguments.clone();
        for (int i : differentiable) {
            out[i] = node.passes(eager.detach(arguments[i]));
        }
        List<Tensor> passed = differentiable.stream().map(i -> arguments[i]).toList();
        List<long[]> sizes = passed.stream().map(Tensor::sizes).toList();
        List<DType> types = passed.stream().map(Tensor::dtype).toList();
        node.backward(gradients -> {
            Tensor[] complete = gradients.clone();
            for (int i = 0; i < complete.length; i++) {
                if (complete[i] == null) { // Python is shown zeros
                    complete[i] = eager.empty(types.get(i), sizes.get(i));
                    Elementwise.fill(eager, complete[i], 0);
                }
            }
            left.run();
            return complete;
        });
        return out;
    }
}
