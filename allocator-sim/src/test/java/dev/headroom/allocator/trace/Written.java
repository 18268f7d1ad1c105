package dev.headroom.allocator.trace;

import java.util.ArrayList;
import java.util.List;

/** Writes down what a trace asks for. */
final class Written implements TraceSink {
    final List<String> lines = new ArrayList<>();

    @Override
    public void allocate(long id, long bytes, int stream) {
        lines.add("allocate " + id + " " + bytes + " " + stream);
    }

    @Override
    public void allocateFailed(long bytes, int stream) {
        lines.add("failed " + bytes + " " + stream);
    }

    @Override
    public void free(long id) {
        lines.add("free " + id);
    }

    @Override
    public void freeLater(long id) {
        lines.add("later " + id);
    }

    @Override
    public void freeCompleted(long id) {
        lines.add("completed " + id);
    }

    @Override
    public void emptyCache() {
        lines.add("empty");
    }

    @Override
    public void pool(int pool) {
        lines.add("pool " + pool);
    }

    @Override
    public void mark(String name, int step, int micro) {
        lines.add("mark " + name + " " + step + " " + micro);
    }
}
