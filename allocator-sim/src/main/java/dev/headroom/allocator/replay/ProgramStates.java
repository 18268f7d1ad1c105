package dev.headroom.allocator.replay;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.AllocatorStatistics;
import dev.headroom.allocator.BlockState;
import dev.headroom.allocator.DeviceMemory;
import dev.headroom.allocator.Segment;
import dev.headroom.allocator.trace.JsonTrace;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;

/**
 * Plays an allocator program and writes {@code {"states": […]}}: the states of the simulation at the points, and with
 * the keys, of the program's own recorded states.
 */
public final class ProgramStates implements ReplayObserver {
    private final JsonGenerator json;
    private final JsonTrace program;

    private ProgramStates(JsonGenerator json, JsonTrace program) {
        this.json = json;
        this.program = program;
    }

    /**
     * Writes one line of JSON.
     *
     * @param program a file with {@code ops}
     * @param settings in place of the recorded ones
     * @param memory that the allocator draws on; {@link Replay#device} makes the recorded one
     * @param out not closed
     * @throws IllegalArgumentException with one line when the trace is not a program, or damaged
     */
    public static void write(JsonTrace program, AllocatorSettings settings, DeviceMemory memory, Writer out)
            throws IOException {
        if (!program.isProgram() || program.every() <= 0) {
            throw new IllegalArgumentException(program.name()
                    + ": states are written for allocator programs only: an array 'ops', and in 'config' the number"
                    + " 'every' of operations between two states");
        }
        JsonFactory factory = JsonFactory.builder()
                .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
                .build();
        try (JsonGenerator json = factory.createGenerator(out)) {
            json.writeStartObject();
            json.writeArrayFieldStart("states");
            ProgramStates states = new ProgramStates(json, program);
            Replay.run(program, settings, memory, states);
            json.writeEndArray();
            json.writeEndObject();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public void afterEvent(Replay replay) {
        if (replay.events() % program.every() == 0) {
            try {
                state(replay);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void state(Replay replay) throws IOException {
        AllocatorStatistics stats = replay.allocator().statistics();
        json.writeStartObject();
        json.writeNumberField("after", replay.events());
        json.writeNumberField("allocated", stats.allocatedBytes().current());
        json.writeNumberField("reserved", stats.reservedBytes().current());
        json.writeNumberField("active", stats.activeBytes().current());
        json.writeNumberField("requested", stats.requestedBytes().current());
        json.writeNumberField("inactive_split", stats.inactiveSplitBytes().current());
        json.writeNumberField("max_allocated", stats.allocatedBytes().peak());
        json.writeNumberField("max_reserved", stats.reservedBytes().peak());
        json.writeNumberField("segments", stats.segment().current());
        json.writeNumberField("ooms", stats.numOoms());
        json.writeNumberField("retries", stats.numAllocRetries());
        json.writeNumberField("failed", stats.numOoms() + stats.numOomRejections());
        if (program.recordsBlocks()) {
            segments(replay);
        }
        json.writeEndObject();
    }

    private void segments(Replay replay) throws IOException {
        Int2LongOpenHashMap ids = new Int2LongOpenHashMap();
        replay.live().forEach((id, block) -> ids.put(block, id));
        json.writeArrayFieldStart("segment_list");
        for (Segment segment : replay.allocator().segments()) {
            json.writeStartObject();
            json.writeNumberField("size", segment.size());
            json.writeStringField("type", segment.small() ? "small" : "large");
            json.writeNumberField("stream", segment.stream());
            json.writeBooleanField("expandable", segment.expandable());
            json.writeArrayFieldStart("blocks");
            for (Segment.Block block : segment.blocks()) {
                block(block, ids.get(block.handle()), replay.lastAllocated());
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /**
     * Writes size, state and id. The newest block has no id, because the program had not yet learnt its address when
     * the states were recorded. An {@code empty_cache} counts as part of the request before it.
     */
    private void block(Segment.Block block, long id, long newest) throws IOException {
        json.writeStartArray();
        json.writeNumber(block.size());
        json.writeString(block.state().label());
        if (block.state() == BlockState.ACTIVE_ALLOCATED && id != newest) {
            json.writeNumber(id);
        } else {
            json.writeNull();
        }
        json.writeEndArray();
    }
}
