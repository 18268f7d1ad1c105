package dev.headroom.executor.cuda.driver;

import dev.headroom.model.error.UserInputException;

/** CUDA cannot be used here, or one of its calls failed: one line that says which, and what to do. */
public final class CudaException extends UserInputException {
    private static final long serialVersionUID = 1L;

    private final String call;
    private final int status;

    public CudaException(String message) {
        this(message, "", 0);
    }

    public CudaException(String message, Throwable cause) {
        super(message, cause);
        this.call = "";
        this.status = 0;
    }

    public CudaException(String message, String call, int status) {
        super(message);
        this.call = call;
        this.status = status;
    }

    /** The function that failed; empty when a library could not be used at all. */
    public String call() {
        return call;
    }

    /** The function's status, in its own library's numbers; 0 when there was none. */
    public int status() {
        return status;
    }
}
