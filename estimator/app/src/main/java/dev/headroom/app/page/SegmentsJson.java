package dev.headroom.app.page;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.allocator.BlockState;
import dev.headroom.allocator.Segment;
import dev.headroom.estimator.timeline.PlacedSegment;
import dev.headroom.estimator.timeline.PlayedRun;
import java.io.IOException;

/** Where tensors lie at the moments that matter: at the peak and, where memory ran out, then. */
final class SegmentsJson {
    private SegmentsJson() {}

    /** The field {@code maps} of the open object: by moment, its segments with their blocks in address order. */
    static void write(PlayedRun run, EventsJson events, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("maps");
        int peak = run.timeline().peak();
        int last = run.timeline().size() - 1;
        if (peak >= 0) {
            map(run, events, json, "at the peak", peak);
        }
        if (run.prediction().oom() != null && last > peak) {
            map(run, events, json, "when memory ran out", last);
        }
        json.writeEndArray();
    }

    private static void map(PlayedRun run, EventsJson events, JsonGenerator json, String title, int event)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("title", title);
        json.writeNumberField("event", event);
        json.writeArrayFieldStart("segments");
        for (PlacedSegment placed : run.timeline().segments(event)) {
            Segment segment = placed.segment();
            json.writeStartObject();
            json.writeNumberField("address", segment.address());
            json.writeNumberField("size", segment.size());
            json.writeStringField("pool", segment.expandable() ? "expandable" : segment.small() ? "small" : "large");
            json.writeArrayFieldStart("blocks");
            for (int i = 0; i < placed.tensors().size(); i++) {
                Segment.Block block = segment.blocks().get(i);
                boolean free = block.state() == BlockState.INACTIVE;
                json.writeNumber(block.size());
                json.writeNumber(free ? -1 : events.number(placed.tensors().get(i)));
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
