package dev.headroom.estimator.runtime;

import dev.headroom.model.graph.DType;
import java.util.Arrays;

/** Makes a node's results fit what they are gradients of. */
final class NodeResults {
    private final EagerRuntime runtime;
    private final Tape tape;
    private final AutogradEngine.Arithmetic arithmetic;

    NodeResults(EagerRuntime runtime, AutogradEngine.Arithmetic arithmetic) {
        this.runtime = runtime;
        this.tape = runtime.tape();
        this.arithmetic = arithmetic;
    }

    /** {@code validate_outputs}: gradients take the shape and the type of what they are gradients of. */
    void validate(GradNode node, Tensor[] outputs) {
        for (int i = 0; i < outputs.length; i++) {
            GradNode.Edge e = node.edges[i];
            if (e == null || !tape.computes(node, e)) {
                outputs[i] = null;
                continue;
            }
            Tensor t = outputs[i];
            if (t == null) {
                continue;
            }
            long[] sizes = e.node().inputSizes(e.input());
            if (!Arrays.equals(t.sizes(), sizes) && !e.node().takesWhole(t.sizes())) {
                Tensor reduced = arithmetic.sumTo(runtime, t, sizes);
                t = replace(outputs, i, reduced);
            }
            DType type = e.node().inputType(e.input());
            if (t.dtype() != type) {
                replace(outputs, i, arithmetic.cast(runtime, t, type));
            }
        }
    }

    private Tensor replace(Tensor[] outputs, int i, Tensor with) {
        Tensor before = outputs[i];
        outputs[i] = with;
        boolean elsewhere = false;
        for (Tensor t : outputs) {
            elsewhere |= t == before;
        }
        if (!elsewhere) {
            runtime.free(before);
        }
        return with;
    }
}
