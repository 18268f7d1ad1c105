package dev.headroom.allocator.replay;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.trace.Trace;
import dev.headroom.allocator.trace.TraceSink;
import java.util.function.Consumer;

/** A trace that is written in a test. */
record Requests(String conf, long totalBytes, Consumer<TraceSink> requests) implements Trace {
    static Requests of(Consumer<TraceSink> requests) {
        return new Requests("", 0, requests);
    }

    @Override
    public AllocatorSettings settings() {
        return AllocatorSettings.parse(conf);
    }

    @Override
    public String name() {
        return "requests";
    }

    @Override
    public void play(TraceSink sink) {
        requests.accept(sink);
    }
}
