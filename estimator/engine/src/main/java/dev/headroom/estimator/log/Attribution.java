package dev.headroom.estimator.log;

/**
 * Who makes an allocation.
 *
 * @param module path of the running module, "" outside of any
 * @param operator such as {@code aten.conv2d}, or what else runs ("optimizer")
 * @param node the autograd node in a backward pass, else ""
 */
public record Attribution(String module, String operator, String node) {
    // Written out, as the methods that Java makes for records are linked at their first call, which takes a command
    // longer than all that they compare.

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof Attribution a
                        && module.equals(a.module)
                        && operator.equals(a.operator)
                        && node.equals(a.node);
    }

    @Override
    public int hashCode() {
        return (31 * module.hashCode() + operator.hashCode()) * 31 + node.hashCode();
    }
}
