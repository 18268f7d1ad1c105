package dev.headroom.allocator.replay;

import dev.headroom.allocator.snapshot.Snapshot;
import dev.headroom.allocator.snapshot.SnapshotTrace;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/** Opens any file that holds a trace. */
public final class TraceFile {
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
        try (InputStream in = JsonTrace.stream(file)) {
            first = in.read();
            while (first == ' ' || first == '\n' || first == '\r' || first == '\t') {
                first = in.read();
            }
        }
        if (first == '{') {
            return JsonTrace.open(file);
        }
        if (first == 0x80 || first == '}' || first == '(') {
            Snapshot snapshot = snapshot(file);
            return new SnapshotTrace(
                    snapshot,
                    SnapshotTrace.firstDevice(snapshot),
                    file.getFileName().toString());
        }
        throw new IllegalArgumentException(file
                + ": neither JSON (an allocator program or a recording) nor a pickle (a memory snapshot of PyTorch)");
    }

    private static Snapshot snapshot(Path file) throws IOException {
        try (InputStream in = new BufferedInputStream(JsonTrace.stream(file), 1 << 16)) {
            return Snapshot.read(in);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }
}
