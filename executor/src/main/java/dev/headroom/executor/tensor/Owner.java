package dev.headroom.executor.tensor;

/**
 * For whom memory is taken.
 *
 * @param module path of the innermost running module, "" for the model itself
 * @param operator such as {@code aten.conv2d}, or the part of the training loop that runs
 */
public record Owner(String module, String operator) {}
