package dev.headroom.graph;

/** Bad input: one line that says what, where, and what to do. Never a defect of Headroom. */
public class GraphException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public GraphException(String message) {
        super(message);
    }

    public GraphException(String message, Throwable cause) {
        super(message, cause);
    }
}
