package dev.headroom.executor.tensor;

/**
 * For whom memory is taken.
 *
 * @param module path of the innermost running module, "" for the model itself
 * @param operator such as {@code aten.conv2d}, or the part of the training loop that runs
 */
public record Owner(String module, String operator) {
    private static final String WORKSPACE = " workspace";

    /** A library that keeps a workspace, such as cuBLAS, in the module that first needs it. */
    public Owner library(String name) {
        return new Owner(module, name + WORKSPACE);
    }

    /** The same operator as the owner of what its kernels work in. */
    Owner workspace() {
        return isWorkspace() ? this : new Owner(module, operator + WORKSPACE);
    }

    /** Whether the memory is a workspace of kernels or of a library. */
    public boolean isWorkspace() {
        return operator.endsWith(WORKSPACE);
    }
}
