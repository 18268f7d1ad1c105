package dev.headroom.allocator.trace;

import dev.headroom.allocator.AllocatorSettings;
import java.io.IOException;

/** A recorded sequence of requests that can be played any number of times. */
public interface Trace {
    /** The settings that it was recorded with, limit included. */
    AllocatorSettings settings();

    /** Bytes of the device that it was recorded on, or 0 when the trace does not say. */
    long totalBytes();

    /** What it is, for messages: usually the file's name. */
    String name();

    /**
     * Sends everything to a sink, in order, without keeping it.
     *
     * @throws IOException when the source cannot be read
     * @throws IllegalArgumentException with one line when its content is damaged
     */
    void play(TraceSink sink) throws IOException;
}
