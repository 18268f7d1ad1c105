package dev.headroom.allocator.replay;

import dev.headroom.allocator.snapshot.Snapshot;
import dev.headroom.allocator.snapshot.SnapshotTrace;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** Opens any file that holds a trace. */
public final class TraceFile {
    private static final int BUFFER = 1 << 16;

    private TraceFile() {}

    /**
     * An allocator program, the recording of a run, or a memory snapshot of PyTorch; told apart by the first byte. All
     * may be gzipped.
     *
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException with one line when it is none of these
     */
    public static Trace open(Path file) throws IOException {
        int first;
        try (InputStream in = unzipped(file)) {
            first = in.read();
            while (first == ' ' || first == '\n' || first == '\r' || first == '\t') {
                first = in.read();
            }
        }
        if (first == '{') {
            return JsonTrace.open(file);
        }
        if (first == 0x80 || first == '}' || first == '(') {
            Snapshot snapshot = Snapshot.read(file);
            return new SnapshotTrace(
                    snapshot,
                    SnapshotTrace.firstDevice(snapshot),
                    file.getFileName().toString());
        }
        throw new IllegalArgumentException(file
                + ": neither JSON (an allocator program or a recording) nor a pickle (a memory snapshot of PyTorch)");
    }

    /**
     * The content of a file, without gzip where it is packed so; buffered.
     *
     * @throws IOException when the file cannot be read
     */
    public static InputStream unzipped(Path file) throws IOException {
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
