package dev.headroom.app.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.timeline.CategoryCurve;
import dev.headroom.estimator.timeline.PhaseSpan;
import dev.headroom.estimator.timeline.Timeline;
import java.io.IOException;

/**
 * Memory over time in JSON: {@code events} of the whole run, {@code phases} with the events that each spans, and for
 * each of the {@code columns} its event, the reserved bytes and the bytes of blocks by category.
 */
final class TimelineJson {
    private TimelineJson() {}

    /** Writes the field {@code timeline}. */
    static void write(Timeline timeline, int columns, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("timeline");
        json.writeNumberField("events", timeline.size());
        json.writeArrayFieldStart("phases");
        for (PhaseSpan span : timeline.phases()) {
            json.writeStartObject();
            RunJson.moment(span.moment(), json);
            json.writeNumberField("from", span.from());
            json.writeNumberField("to", span.to());
            json.writeEndObject();
        }
        json.writeEndArray();
        CategoryCurve curve = new CategoryCurve(timeline, columns);
        json.writeArrayFieldStart("columns");
        for (int i = 0; i < curve.columns(); i++) {
            json.writeStartObject();
            json.writeNumberField("event", curve.event(i));
            json.writeNumberField("reserved", timeline.reserved(curve.event(i)));
            for (Category category : Category.values()) {
                json.writeNumberField(category.key(), curve.bytes(i, category));
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
