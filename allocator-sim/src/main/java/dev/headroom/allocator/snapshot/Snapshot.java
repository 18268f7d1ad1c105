package dev.headroom.allocator.snapshot;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A memory snapshot of PyTorch ({@code torch.cuda.memory._dump_snapshot}): the segments at one moment and, when history
 * was recorded, what led to them.
 *
 * @param segments of all devices
 * @param deviceTraces history by device, oldest entry first; empty lists without history
 * @param allocConf the settings in the syntax of PYTORCH_CUDA_ALLOC_CONF
 */
public record Snapshot(List<SnapshotSegment> segments, List<List<TraceEvent>> deviceTraces, String allocConf) {
    /**
     * Reads a pickle of protocol 2 to 5; it may be gzipped.
     *
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException with one line when it is not a snapshot, damaged, or holds more than plain data
     */
    public static Snapshot read(Path file) throws IOException {
        try (InputStream in = MaybeGzip.open(file)) {
            return read(in);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    /** As {@link #read(Path)}, from a stream that is not closed; give a buffered one. */
    public static Snapshot read(InputStream in) throws IOException {
        return new SnapshotReader().read(new Unpickler(in).load());
    }

    /** Writes a pickle of protocol 4, which PyTorch's memory_viz page and script accept. */
    public void write(Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            new SnapshotWriter(out).write(this);
        }
    }

    /** As {@link #write(Path)}, to a stream that is not closed. */
    public void write(OutputStream out) throws IOException {
        new SnapshotWriter(out).write(this);
    }
}
