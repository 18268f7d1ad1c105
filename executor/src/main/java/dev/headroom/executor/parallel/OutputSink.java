package dev.headroom.executor.parallel;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.MemoryFormat;
import java.util.ArrayList;
import java.util.List;

/** The first node of the backward pass, behind copies of the outputs (torch/nn/parallel/distributed.py, _DDPSink). */
final class OutputSink {
    private OutputSink() {}

    /**
     * Outputs through the node; those without history stay what they are.
     *
     * @param made with a reference each that passes over
     * @param reached runs when the backward pass comes to the node
     * @return with a reference each for the caller
     */
    static Tensor[] behind(Eager eager, Tensor[] made, Runnable reached) {
        List<Tensor> present = new ArrayList<>();
        for (Tensor t : made) {
            if (t != null) {
                present.add(t);
            }
        }
        try (Scope s = eager.open()) {
            Recorder node = eager.record("_DDPSinkBackward", present.toArray(Tensor[]::new));
            List<Integer> linked = new ArrayList<>();
            List<Tensor> copies = copies(eager, present);
            for (int i = 0; i < present.size(); i++) {
                if (present.get(i).gradNode() != null) {
                    node.output(copies.get(i));
                    linked.add(i);
                }
            }
            node.backward(gradients -> {
                reached.run();
                Tensor[] out = new Tensor[present.size()];
                for (int i = 0; i < gradients.length; i++) {
                    out[linked.get(i)] = gradients[i];
                }
                return out;
            });
            Tensor[] out = new Tensor[made.length];
            for (int i = 0; i < made.length; i++) {
                int at = present.indexOf(made[i]);
                out[i] = at >= 0 && linked.contains(at) ? copies.get(at) : made[i];
                eager.hold(out[i]);
            }
            for (Tensor t : made) {
                eager.release(t);
            }
            return out;
        }
    }

    private static List<Tensor> copies(Eager eager, List<Tensor> of) {
        boolean before = eager.tape().setEnabled(false);
        try {
            return of.stream()
                    .map(t -> Copies.clone(eager, t, MemoryFormat.PRESERVE))
                    .toList();
        } finally {
            eager.tape().setEnabled(before);
        }
    }
}
