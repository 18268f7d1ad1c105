package dev.headroom.model.generation;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Node;

/**
 * Nodes that compute nothing: they say which of Python's variables outlive a graph. A graph reads such a variable as an
 * input of its name.
 */
public final class VariableNodes {
    /** {@code name = value}: what the name held is let go of. */
    public static final String BIND = "python.bind";

    /** {@code del name}. */
    public static final String DELETE = "python.delete";

    /** Reads values, so that they live until here as a function's variables do. */
    public static final String USE = "python.use";

    /** The model returned to the program that called it: the loop's name for its outputs changes hands. */
    public static final String RETURN = "python.return";

    /** A value takes the place of the buffer of a qualified name, which goes. */
    public static final String BUFFER = "python.buffer";

    /** The argument of a {@link #BIND} or {@link #DELETE} that says which variable. */
    public static final String NAME = "name";

    private static final String MODEL = "self.";

    private VariableNodes() {}

    /** Whether a node is one of these. */
    public static boolean isOne(Node node) {
        return node.target().startsWith("python.");
    }

    /** What the model itself keeps under a name, whatever the loop around it deletes. */
    public static String attribute(String name) {
        return MODEL + name;
    }

    /** Whether a variable is one that the model itself keeps. */
    public static boolean isAttribute(String variable) {
        return variable.startsWith(MODEL);
    }

    /** The variable of a {@link #BIND} or {@link #DELETE}, or what a {@link #BUFFER} is called. */
    public static String name(Node node) {
        if (node.argument(NAME) instanceof Argument.Text t) {
            return t.value();
        }
        throw new IllegalArgumentException(node.target() + " names no variable");
    }
}
