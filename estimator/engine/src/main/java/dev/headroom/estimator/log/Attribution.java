package dev.headroom.estimator.log;

/**
 * Who makes an allocation.
 *
 * @param module path of the running module, "" outside of any
 * @param operator such as {@code aten.conv2d}, or what else runs ("optimizer")
 * @param node the autograd node in a backward pass, else ""
 */
public record Attribution(String module, String operator, String node) {}
