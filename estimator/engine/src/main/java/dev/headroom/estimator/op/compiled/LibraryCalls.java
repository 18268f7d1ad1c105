package dev.headroom.estimator.op.compiled;

import dev.headroom.estimator.op.attention.AttentionScratch;
import dev.headroom.estimator.op.convolution.CompiledConvolution;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** What library calls in generated code take besides their results. */
final class LibraryCalls {
    private static final String CONVOLUTION = "extern_kernels.convolution";
    private static final String CONVOLUTION_BACKWARD = "torch.ops.aten.convolution_backward.default";

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
     * The tensors among a call's arguments as its kernels take them; what is not the tensor that was given is a copy
     * that the caller frees.
     *
     * @param laidOut whether a tensor lies as it says, and not in a buffer that was another tensor's before
     */
    static List<Tensor> operands(String function, EagerRuntime rt, List<Tensor> given, Predicate<Tensor> laidOut) {
        List<Tensor> out = new ArrayList<>(given);
        if (function.equals(CONVOLUTION_BACKWARD)
                && given.size() > 2
                && laidOut.test(given.get(0))
                && laidOut.test(given.get(1))) {
            out.set(0, CompiledConvolution.gradient(rt, given.get(0), given.get(1), given.get(2)));
        }
        return out;
    }

    /**
     * A call has made a result, and takes what it works in before it makes the next.
     *
     * @param index of the result
     * @param given as {@link #operands} are
     */
    static void made(String function, EagerRuntime rt, int index, Tensor result, List<Tensor> given) {
        if (function.equals(CONVOLUTION) && given.size() > 1) {
            CompiledConvolution.forward(rt, given.get(0), given.get(1), result);
        } else if (function.equals(CONVOLUTION_BACKWARD) && given.size() > 2) {
            if (index == 0) {
                CompiledConvolution.inputGradient(rt, result, given.get(2), given.get(0));
            } else if (index == 1) {
                CompiledConvolution.weightGradient(rt, given.get(1), result, given.get(0));
            }
        }
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
