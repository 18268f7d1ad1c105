package dev.headroom.allocator.trace;

import dev.headroom.allocator.snapshot.MaybeGzip;
import dev.headroom.allocator.snapshot.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/** Opens any file that holds a trace. */
public final class TraceFile {
    private TraceFile() {}

    /**
     * Opens an allocator program, the recording of a run, or a memory snapshot of PyTorch. They are told apart by the
     * first byte, and each may be packed with gzip.
     *
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException with one line when it is none of these
     */
    public static Trace open(Path file) throws IOException {
        int first;
        try (InputStream in = MaybeGzip.open(file)) {
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
}
