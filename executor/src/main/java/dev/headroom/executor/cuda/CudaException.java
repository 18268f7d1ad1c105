package dev.headroom.executor.cuda;

import dev.headroom.graph.GraphException;

/** CUDA cannot be used here, or one of its calls failed: one line that says which, and what to do. */
public final class CudaException extends GraphException {
    private static final long serialVersionUID = 1L;

    CudaException(String message) {
        super(message);
    }

    CudaException(String message, Throwable cause) {
        super(message, cause);
    }
}
