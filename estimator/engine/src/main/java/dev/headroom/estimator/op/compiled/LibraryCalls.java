package dev.headroom.estimator.op.compiled;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;
import java.util.Map;

/** What library calls in generated code take besides their results. */
enum LibraryCalls {
    /** cuBLAS: its workspace, kept from the first product on. */
    PRODUCT {
        @Override
        void run(EagerRuntime rt, List<Tensor> arguments) {
            rt.workspaces().useBlas();
        }
    },
    /** Nothing. */
    PLAIN {
        @Override
        void run(EagerRuntime rt, List<Tensor> arguments) {}
    };

    private static final Map<String, LibraryCalls> BY_FUNCTION = Map.of(
            "extern_kernels.mm", PRODUCT,
            "extern_kernels.addmm", PRODUCT,
            "extern_kernels.bmm", PRODUCT,
            "extern_kernels.baddbmm", PRODUCT,
            "extern_kernels.bias_addmm", PRODUCT);

    /** @param function as generated code names it */
    static LibraryCalls of(String function) {
        return BY_FUNCTION.getOrDefault(function, PLAIN);
    }

    /** @param arguments tensors that the call is given, in order */
    abstract void run(EagerRuntime rt, List<Tensor> arguments);
}
