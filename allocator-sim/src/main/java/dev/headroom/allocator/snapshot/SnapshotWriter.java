package dev.headroom.allocator.snapshot;

import dev.headroom.allocator.AllocatorSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Writes snapshots with all the fields that PyTorch 2.14 writes and its viewers read. */
final class SnapshotWriter {
    /** Items that are appended at once: as many as Python's own pickler appends. */
    private static final int BATCH = 1000;

    private final PickleOutput out;

    SnapshotWriter(OutputStream out) throws IOException {
        this.out = new PickleOutput(out);
    }

    void write(Snapshot snapshot) throws IOException {
        out.beginDict();
        out.string("segments");
        list(snapshot.segments(), this::segment);
        out.string("device_traces");
        list(snapshot.deviceTraces(), trace -> list(trace, this::event));
        out.string("allocator_settings");
        settings(snapshot.allocConf());
        for (String empty : List.of("external_annotations", "host_segments", "host_traces")) {
            out.string(empty);
            out.emptyList();
        }
        out.endDict();
        out.finish();
    }

    private void segment(SnapshotSegment segment) throws IOException {
        out.beginDict();
        integer("device", segment.device());
        integer("address", segment.address());
        integer("total_size", segment.totalSize());
        integer("allocated_size", segment.allocatedSize());
        integer("active_size", segment.activeSize());
        integer("requested_size", segment.requestedSize());
        integer("stream", segment.stream());
        string("segment_type", segment.small() ? "small" : "large");
        pool("segment_pool_id", segment.pool());
        out.string("is_expandable");
        out.bool(segment.expandable());
        frames(segment.frames());
        out.string("blocks");
        list(segment.blocks(), this::block);
        out.endDict();
    }

    private void block(SnapshotSegment.Block block) throws IOException {
        out.beginDict();
        integer("address", block.address());
        integer("size", block.size());
        integer("requested_size", block.requestedSize());
        string("state", block.state().label());
        frames(block.frames());
        out.endDict();
    }

    private void event(TraceEvent event) throws IOException {
        out.beginDict();
        string("action", event.action());
        integer(event.action().equals("oom") ? "device_free" : "addr", event.address());
        integer("size", event.size());
        integer("stream", event.stream());
        integer("time_us", event.timeMicros());
        string("compile_context", "N/A");
        string("user_metadata", event.userMetadata());
        pool("pool_id", event.pool());
        frames(event.frames());
        out.endDict();
    }

    private void settings(String conf) throws IOException {
        AllocatorSettings settings = AllocatorSettings.parse(conf);
        out.beginDict();
        string("PYTORCH_CUDA_ALLOC_CONF", conf);
        integer("max_split_size", settings.maxSplitSize() == Long.MAX_VALUE ? -1 : settings.maxSplitSize());
        out.string("garbage_collection_threshold");
        out.number(settings.garbageCollectionThreshold());
        out.string("expandable_segments");
        out.bool(settings.expandableSegments());
        out.string("roundup_power2_divisions");
        out.beginDict();
        int[] divisions = settings.roundupPower2Divisions();
        for (int i = 0; i < divisions.length; i++) {
            integer(String.valueOf(1 << i), divisions[i]);
        }
        out.endDict();
        out.endDict();
    }

    private void frames(List<Frame> frames) throws IOException {
        out.string("frames");
        if (frames.isEmpty()) {
            out.emptyList();
        } else if (!out.recall(frames)) {
            list(frames, this::frame);
            out.remember(frames);
        }
    }

    private void frame(Frame frame) throws IOException {
        if (!out.recall(frame)) {
            out.beginDict();
            string("name", frame.name());
            string("filename", frame.filename());
            integer("line", frame.line());
            out.endDict();
            out.remember(frame);
        }
    }

    private void pool(String key, TraceEvent.PoolId pool) throws IOException {
        out.string(key);
        out.integer(pool.capture());
        out.integer(pool.user());
        out.tuple2();
    }

    private void integer(String key, long value) throws IOException {
        out.string(key);
        out.integer(value);
    }

    private void string(String key, String value) throws IOException {
        out.string(key);
        out.string(value);
    }

    private interface ItemWriter<T> {
        void write(T item) throws IOException;
    }

    private <T> void list(List<T> items, ItemWriter<T> writer) throws IOException {
        out.emptyList();
        for (int from = 0; from < items.size(); from += BATCH) {
            out.mark();
            for (T item : items.subList(from, Math.min(from + BATCH, items.size()))) {
                writer.write(item);
            }
            out.appends();
        }
    }
}
