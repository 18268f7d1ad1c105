package dev.headroom.model.compiled;

import dev.headroom.model.graph.TensorMeta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement of the Python function that Inductor generates for a graph (torch/_inductor/codegen/wrapper.py), as far
 * as it matters for memory. Names are the function's local variables.
 */
public sealed interface Statement {
    /** The function takes its arguments; from then on only these names hold them. */
    record Inputs(List<String> names) implements Statement {}

    /**
     * {@code empty_strided_cuda} or {@code empty_strided_cpu}: a buffer of its own.
     *
     * @param by the kernel that writes it first, "" where that is not known
     */
    record Allocate(String name, TensorMeta shape, boolean onHost, String by) implements Statement {}

    /** Another name, or another shape, of the same storage. */
    record Alias(String name, String of) implements Statement {}

    /** A library call that makes its result, such as a convolution or attention. */
    record Call(String name, String function, List<String> arguments) implements Statement {}

    /** One of several results of a call. */
    record Item(String name, String of, int index) implements Statement {}

    /** A library call that writes into its last argument or into {@code out}, such as a matrix product. */
    record Extern(String function, List<String> arguments) implements Statement {}

    /**
     * A kernel that Inductor generated is run.
     *
     * @param name tells its kind and is the same where the code is, such as {@code triton_poi_fused_add_0}
     * @param changed tensors that it writes over
     * @param others the other tensors that it is given
     */
    record Kernel(String name, List<String> changed, List<String> others) implements Statement {}

    /** {@code del}. */
    record Free(List<String> names) implements Statement {}

    /** What the function returns; {@code null} for what is no tensor. */
    record Return(List<@Nullable String> names) implements Statement {}
}
