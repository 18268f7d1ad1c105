package dev.headroom.estimator.op.compiled;

import dev.headroom.estimator.op.attention.AttentionScratch;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** What library calls in generated code take besides their results. */
final class LibraryCalls {
    private static final Map<String, BiConsumer<EagerRuntime, List<Tensor>>> BY_FUNCTION = Map.ofEntries(
            Map.entry("extern_kernels.mm", LibraryCalls::product),
            Map.entry("extern_kernels.addmm", LibraryCalls::product),
            Map.entry("extern_kernels.bmm", LibraryCalls::product),
            Map.entry("extern_kernels.baddbmm", LibraryCalls::product),
            Map.entry("extern_kernels.bias_addmm", LibraryCalls::product),
            attention("efficient", AttentionScratch.EFFICIENT),
            attention("flash", AttentionScratch.FLASH),
            attention("cudnn", AttentionScratch.CUDNN));

    private LibraryCalls() {}

    /** cuBLAS keeps its workspace from the first product on. */
    private static void product(EagerRuntime rt, List<Tensor> made) {
        rt.workspaces().useBlas();
    }

    private static Map.Entry<String, BiConsumer<EagerRuntime, List<Tensor>>> attention(
            String kernel, AttentionScratch scratch) {
        return Map.entry(
                "torch.ops.aten._scaled_dot_product_" + kernel + "_attention_backward.default", (rt, gradients) -> {
                    if (gradients.size() >= 3) {
                        scratch.take(rt, gradients.get(0), gradients.get(1), gradients.get(2));
                    }
                });
    }

    /**
     * Takes it and gives it back.
     *
     * @param function as generated code names it
     * @param made the results that are used, in order
     */
    static void run(String function, EagerRuntime rt, List<Tensor> made) {
        BY_FUNCTION.getOrDefault(function, (runtime, results) -> {}).accept(rt, made);
    }
}
