package dev.headroom.model.importer;

import dev.headroom.model.error.UserInputException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Stops a small archive from inflating without end: counts what really comes out, whatever the entry declares. */
final class CappedInput extends FilterInputStream {
    /** About 60,000 operator calls, thirty times what a language model of 24 layers has. */
    private static final long MOST_BYTES = 64L << 20;
    /** Graphs of real models deflate 15 to 40 fold. */
    private static final long MOST_RATIO = 100;

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
            throw new UserInputException(
                    "inflates to more than " + (most >> 20) + " MiB, which no graph of torch.export needs");
        }
    }
}
