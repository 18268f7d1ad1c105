package dev.headroom.importer;

import dev.headroom.graph.GraphException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Stops a small archive from inflating without end: counts what really comes out, whatever the entry declares. */
final class CappedInput extends FilterInputStream {
    /** About 150 bytes a node argument: far beyond any model that torch.export can trace. */
    private static final long MOST_BYTES = 128L << 20;
    /** Graphs of real models deflate 20 to 60 fold. */
    private static final long MOST_RATIO = 200;

    private static final long FREE_BYTES = 8L << 20;

    private final long most;
    private long count;

    CappedInput(InputStream in, long compressedBytes) {
        super(in);
        long byRatio = Math.max(FREE_BYTES, MOST_RATIO * Math.min(Math.max(0, compressedBytes), MOST_BYTES));
        this.most = Math.min(MOST_BYTES, byRatio);
    }

    @Override
    public int read() throws IOException {
        int value = super.read();
        count(value < 0 ? 0 : 1);
        return value;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int got = super.read(buffer, offset, length);
        count(Math.max(0, got));
        return got;
    }

    private void count(int bytes) {
        count += bytes;
        if (count > most) {
            throw new GraphException(
                    "inflates to more than " + (most >> 20) + " MiB: not a graph that torch.export wrote");
        }
    }
}
