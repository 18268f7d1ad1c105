package dev.headroom.allocator.trace;

/**
 * Turns the events of PyTorch's memory history into requests. Events of segments follow from requests, so that they are
 * left out, with one exception: {@code empty_cache} has no event of its own. It is inferred where segments go back to
 * the driver and neither a new segment nor an out-of-memory error follows; those would mean that a request was the
 * cause.
 */
public final class TraceInterpreter {
    private final TraceSink sink;
    private boolean freeing;
    private long freeingId;
    private boolean releasing;

    /** @param sink gets the requests */
    public TraceInterpreter(TraceSink sink) {
        this.sink = sink;
    }

    /**
     * An event of the history.
     *
     * @param action PyTorch's name of it
     * @param id of the block; of no meaning for segments
     * @param bytes requested bytes of a block
     * @param stream of the request
     * @throws IllegalArgumentException when the action is not one of PyTorch's
     */
    public void event(String action, long id, long bytes, int stream) {
        if (freeing && action.equals("free_completed") && id == freeingId) {
            freeing = false;
            sink.free(id);
            return;
        }
        settleFree();
        switch (action) {
            case "alloc" -> {
                settleRelease();
                sink.allocate(id, bytes, stream);
            }
            case "free_requested" -> {
                settleRelease();
                freeing = true;
                freeingId = id;
            }
            case "free_completed" -> {
                settleRelease();
                sink.freeCompleted(id);
            }
            case "segment_free", "segment_unmap" -> releasing = true;
            case "segment_alloc", "segment_map" -> releasing = false;
            case "oom" -> {
                releasing = false;
                sink.allocateFailed(bytes, stream);
            }
            case "snapshot", "annotate", "user_defined" -> {}
            default -> throw new IllegalArgumentException("unknown action '" + action + "'");
        }
    }

    /** A place in the program; see {@link TraceSink#mark}. */
    public void mark(String name, int step, int micro) {
        end();
        sink.mark(name, step, micro);
    }

    /** The trace is over. */
    public void end() {
        settleFree();
        settleRelease();
    }

    private void settleFree() {
        if (freeing) {
            freeing = false;
            sink.freeLater(freeingId);
        }
    }

    private void settleRelease() {
        if (releasing) {
            releasing = false;
            sink.emptyCache();
        }
    }
}
