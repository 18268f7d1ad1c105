package dev.headroom.allocator.snapshot;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** Opens recorded files, which may be packed with gzip. */
public final class MaybeGzip {
    private static final int BUFFER = 1 << 16;

    private MaybeGzip() {}

    /**
     * The content of a file as a buffered stream, unpacked if it was packed.
     *
     * @throws IOException when the file cannot be read
     */
    public static InputStream open(Path file) throws IOException {
        InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER);
        try {
            in.mark(2);
            boolean zipped = in.read() == 0x1f && in.read() == 0x8b;
            in.reset();
            return zipped ? new BufferedInputStream(new GZIPInputStream(in, BUFFER), BUFFER) : in;
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }
}
