package dev.headroom.estimator.parallel.ddp;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.List;

/** Parameters whose memory becomes part of one flat buffer. */
final class ParameterViews {
    private ParameterViews() {}

    /**
     * Moves parameters into a flat buffer, one after another (zero_redundancy_optimizer.py, _build_param_buckets). A
     * rank without parameters has a buffer of one element.
     */
    static void flatten(EagerRuntime runtime, List<Tensor> parameters) {
        try (Frame frame = runtime.frame()) {
            if (parameters.isEmpty()) {
                runtime.hold(runtime.empty(DType.FLOAT32, 1));
                return;
            }
            long numel = parameters.stream().mapToLong(Tensor::numel).sum();
            Tensor flat = runtime.emptyStrided(
                    parameters.get(0).dtype(), new long[] {numel}, new long[] {1}, Category.PARAMETERS);
            runtime.hold(flat);
            long offset = 0;
            for (Tensor p : parameters) {
                runtime.setData(p, flat, Shapes.contiguous(p.sizes()), offset);
                offset += p.numel();
            }
        }
    }
}
