package dev.headroom.allocator.snapshot;

import dev.headroom.allocator.BlockState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes a snapshot of an unpickled value. Fields that older versions of PyTorch do not write may be absent. */
final class SnapshotReader {
    // Thousands of events have the same stack. Each is kept once: looked up by identity first, then by content.
    private final IdentityHashMap<PickleList, List<Frame>> stacks = new IdentityHashMap<>();

    private final IdentityHashMap<PickleDict, Frame> frames = new IdentityHashMap<>();
    private final Map<Object, Object> equal = new HashMap<>();

    /** Lists of blocks and histories: a small pickle could name one in a thousand places. */
    private final Set<PickleList> own = Collections.newSetFromMap(new IdentityHashMap<>());

    Snapshot read(@Nullable Object value) {
        if (!(value instanceof PickleDict top) || !(top.get("segments") instanceof PickleList)) {
            throw new IllegalArgumentException(
                    "not a memory snapshot: write one with torch.cuda.memory._dump_snapshot(path)");
        }
        List<SnapshotSegment> segments = new ArrayList<>();
        PickleList pickled = list(top, "segments");
        for (int i = 0; i < pickled.size(); i++) {
            segments.add(segment(dict(pickled.get(i), "a segment")));
        }
        List<List<TraceEvent>> traces = new ArrayList<>();
        PickleList devices = list(top, "device_traces");
        for (int i = 0; i < devices.size(); i++) {
            traces.add(trace(devices.get(i)));
        }
        Object settings = top.get("allocator_settings");
        Object conf = settings instanceof PickleDict s ? s.get("PYTORCH_CUDA_ALLOC_CONF") : null;
        return new Snapshot(segments, traces, conf instanceof String text ? text : "");
    }

    private SnapshotSegment segment(PickleDict s) {
        long address = number(s, "address");
        List<SnapshotSegment.Block> blocks = new ArrayList<>();
        PickleList pickled = notShared(list(s, "blocks"));
        long at = address;
        for (int i = 0; i < pickled.size(); i++) {
            PickleDict b = dict(pickled.get(i), "a block");
            long size = number(b, "size");
            at = number(b, "address", at);
            blocks.add(new SnapshotSegment.Block(at, size, number(b, "requested_size", size), state(b), frames(b)));
            at += size;
        }
        String type = text(s, "segment_type");
        if (!type.equals("small") && !type.equals("large")) {
            throw damaged("segment_type '" + type + "'");
        }
        return new SnapshotSegment(
                (int) number(s, "device", 0),
                address,
                number(s, "total_size"),
                number(s, "stream", 0),
                type.equals("small"),
                pool(s.get("segment_pool_id")),
                Boolean.TRUE.equals(s.get("is_expandable")),
                frames(s),
                blocks);
    }

    private List<TraceEvent> trace(@Nullable Object value) {
        if (!(value instanceof PickleList entries)) {
            throw damaged("a device trace that is no list");
        }
        notShared(entries);
        List<TraceEvent> events = new ArrayList<>(entries.size());
        for (int i = 0; i < entries.size(); i++) {
            PickleDict e = dict(entries.get(i), "a trace entry");
            String action = shared(text(e, "action"));
            events.add(new TraceEvent(
                    action,
                    number(e, "addr", number(e, "device_free", 0)),
                    number(e, "size", 0),
                    number(e, "stream", 0),
                    number(e, "time_us", 0),
                    pool(e.get("pool_id")),
                    e.get("user_metadata") instanceof String label ? shared(label) : "",
                    frames(e)));
        }
        return events;
    }

    private PickleList notShared(PickleList list) {
        if (list.size() > 0 && !own.add(list)) {
            throw damaged("segments or devices that share one list");
        }
        return list;
    }

    private static BlockState state(PickleDict block) {
        String state = text(block, "state");
        return switch (state) {
            case "active_allocated" -> BlockState.ACTIVE_ALLOCATED;
            case "active_pending_free", "active_awaiting_free" -> BlockState.ACTIVE_PENDING_FREE;
            case "inactive" -> BlockState.INACTIVE;
            default -> throw damaged("a block in state '" + state + "'");
        };
    }

    private TraceEvent.PoolId pool(@Nullable Object id) {
        if (id instanceof PickleList pair
                && pair.size() == 2
                && pair.get(0) instanceof Long a
                && pair.get(1) instanceof Long b) {
            return a == 0 && b == 0 ? TraceEvent.PoolId.DEFAULT : shared(new TraceEvent.PoolId(a, b));
        }
        return TraceEvent.PoolId.DEFAULT;
    }

    private List<Frame> frames(PickleDict holder) {
        if (!(holder.get("frames") instanceof PickleList pickled)) {
            return List.of();
        }
        List<Frame> known = stacks.get(pickled);
        if (known == null) {
            Frame[] stack = new Frame[pickled.size()];
            for (int i = 0; i < stack.length; i++) {
                stack[i] = frames.computeIfAbsent(dict(pickled.get(i), "a frame"), this::frame);
            }
            known = shared(List.of(stack));
            stacks.put(pickled, known);
        }
        return known;
    }

    private Frame frame(PickleDict f) {
        String name = f.get("name") instanceof String n ? n : "";
        String file = f.get("filename") instanceof String n ? n : "";
        return shared(new Frame(shared(name), shared(file), (int) number(f, "line", 0)));
    }

    @SuppressWarnings("unchecked")
    private <T> T shared(T value) {
        Object known = equal.putIfAbsent(value, value);
        return known == null ? value : (T) known;
    }

    private static PickleDict dict(@Nullable Object value, String what) {
        if (value instanceof PickleDict dict) {
            return dict;
        }
        throw damaged(what + " that is no dictionary");
    }

    private static PickleList list(PickleDict holder, String key) {
        Object value = holder.get(key);
        if (value == null) {
            return new PickleList();
        }
        if (value instanceof PickleList list) {
            return list;
        }
        throw damaged("'" + key + "' that is no list");
    }

    private static String text(PickleDict holder, String key) {
        if (holder.get(key) instanceof String text) {
            return text;
        }
        throw damaged("no text '" + key + "' where there should be one");
    }

    private static long number(PickleDict holder, String key) {
        if (holder.get(key) instanceof Long number) {
            return number;
        }
        throw damaged("no number '" + key + "' where there should be one");
    }

    private static long number(PickleDict holder, String key, long otherwise) {
        Object value = holder.get(key);
        if (value == null) {
            return otherwise;
        }
        return number(holder, key);
    }

    private static IllegalArgumentException damaged(String what) {
        return new IllegalArgumentException("damaged snapshot: " + what);
    }
}
