package dev.headroom.app.serve;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.app.report.JsonOutput;
import dev.headroom.app.report.JsonReport;
import dev.headroom.app.report.ScenarioText;
import dev.headroom.app.report.VerdictText;
import dev.headroom.app.words.Door;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.timeline.CategoryCurve;
import dev.headroom.estimator.timeline.PhaseSpan;
import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.estimator.timeline.Timeline;
import java.io.IOException;
import java.io.Writer;

/**
 * What the page draws: {@code prediction} as the command line prints it, {@code verdict} and {@code scenario} in words,
 * and {@code timeline}, thinned so that no peak is lost: events, bytes by category and reserved bytes at each, and the
 * phases with the events that they begin and end at.
 */
final class OverviewJson {
    private static final int COLUMNS = 480;

    private OverviewJson() {}

    /** Writes the object and a line feed; the writer stays open. */
    static void write(PlayedRun run, Writer out) {
        JsonOutput.write(Door.SERVICE, out, json -> {
            json.writeStartObject();
            json.writeFieldName("prediction");
            JsonReport.write(run.prediction(), json);
            JsonOutput.strings(json, "verdict", VerdictText.lines(run.prediction(), Door.SERVICE));
            json.writeStringField("scenario", ScenarioText.words(run.request().scenario()));
            json.writeFieldName("timeline");
            timeline(run.timeline(), json);
            json.writeEndObject();
        });
    }

    private static void timeline(Timeline timeline, JsonGenerator json) throws IOException {
        CategoryCurve curve = new CategoryCurve(timeline, COLUMNS);
        json.writeStartObject();
        json.writeNumberField("length", timeline.size());
        json.writeArrayFieldStart("events");
        for (int i = 0; i < curve.columns(); i++) {
            json.writeNumber(curve.event(i));
        }
        json.writeEndArray();
        json.writeArrayFieldStart("reserved");
        for (int i = 0; i < curve.columns(); i++) {
            json.writeNumber(timeline.reserved(curve.event(i)));
        }
        json.writeEndArray();
        json.writeObjectFieldStart("categories");
        for (Category category : Category.values()) {
            json.writeArrayFieldStart(category.key());
            for (int i = 0; i < curve.columns(); i++) {
                json.writeNumber(curve.bytes(i, category));
            }
            json.writeEndArray();
        }
        json.writeEndObject();
        json.writeArrayFieldStart("phases");
        for (PhaseSpan span : timeline.phases()) {
            json.writeStartObject();
            json.writeStringField("title", span.title());
            json.writeNumberField("from", span.from());
            json.writeNumberField("to", span.to());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
