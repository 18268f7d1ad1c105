package dev.headroom.executor.program;

import dev.headroom.executor.tensor.Tensor;

/** What runs around each call of a module ({@code register_forward_pre_hook}, {@code register_forward_hook}). */
public interface ModuleHooks {
    /**
     * The module is called.
     *
     * @param arguments tensors that it is given; borrowed
     * @return what it gets in their places: the same, or locals of the running scope
     */
    Tensor[] before(Tensor[] arguments);

    /**
     * The module returns.
     *
     * @param results tensors that its caller goes on with; borrowed
     */
    void after(Tensor[] results);
}
