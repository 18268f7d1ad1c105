package dev.headroom.estimator.op.matmul;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;

/**
 * Rows of one matrix times a matrix for each group of rows, as routed experts compute. Archives hold the fallback of
 * transformers (integrations/moe.py, _grouped_mm); where the GPU can, the program calls {@code torch._grouped_mm}
 * (aten/src/ATen/native/cuda/GroupedBlas.cpp and GroupMM.cu).
 */
final class GroupedMatmul {
    private static final int OLDEST_WITH_KERNEL = 8;
    private static final int HOPPER = 9;
    private static final int BLACKWELL = 10;

    /** Bytes of descriptors that a multiprocessor works with: four tensor maps. */
    private static final long MAPS = 4 * 128;

    /** Bytes of a group: three pointers in pairs of groups, three strides and a problem's size. */
    private static final long POINTERS = 24;

    private static final long STRIDES_AND_SIZE = 24 + 12;

    private final EagerRuntime rt;
    private final long groups;

    private GroupedMatmul(EagerRuntime rt, long groups) {
        this.rt = rt;
        this.groups = groups;
    }

    /** @param offsets where groups end, on the device */
    static Tensor run(EagerRuntime rt, Tensor input, Tensor weight, Tensor offsets) {
        GroupedMatmul product = new GroupedMatmul(rt, weight.size(0));
        boolean kernel = rt.device().major() >= OLDEST_WITH_KERNEL;
        Recorder r = rt.record(kernel ? "GroupedMmBackward0" : "GroupedMmFallbackBackward", input, weight);
        Saved savedInput = r.saveIf(r.needs(1), input);
        Saved savedWeight = r.saveIf(r.needs(0), weight);
        r.save(offsets);
        Tensor out = product.multiplied(input.dtype(), input.size(0), weight.size(2));
        r.gradients(grads -> {
            Tensor[] made = new Tensor[2];
            if (r.needs(1)) {
                Tensor w = savedWeight.get() == null ? weight : savedWeight.get();
                made[1] = product.multipliedLike(w);
            }
            if (r.needs(0)) {
                Tensor x = savedInput.get() == null ? input : savedInput.get();
                made[0] = product.multipliedLike(x);
            }
            return made;
        });
        return r.output(out);
    }

    private Tensor multiplied(DType type, long rows, long columns) {
        Tensor out = rt.empty(type, rows, columns);
        multiply(type);
        return out;
    }

    private Tensor multipliedLike(Tensor t) {
        Tensor out = rt.emptyStrided(t.dtype(), t.sizes(), Shapes.preserved(t.sizes(), t.strides()));
        multiply(t.dtype());
        return out;
    }

    /** CUTLASS for bfloat16 from Hopper on; else one product after the other, whose sizes the host reads. */
    private void multiply(DType type) {
        int major = rt.device().major();
        if (type == DType.BFLOAT16 && (major == HOPPER || major == BLACKWELL)) {
            Tensor arguments = rt.scratch((groups + 1) / 2 * 2 * POINTERS + groups * STRIDES_AND_SIZE);
            Tensor workspace = rt.scratch(rt.device().sms() * MAPS);
            rt.free(workspace);
            rt.free(arguments);
        } else {
            rt.streams().hostWaits();
            rt.workspaces().useBlas();
        }
    }
}
