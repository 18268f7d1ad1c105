package dev.headroom.app.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.estimator.certainty.Certainty;
import dev.headroom.estimator.certainty.Interval;
import dev.headroom.model.device.DeviceLine;
import java.io.IOException;

/** What device memory is made of, and between which bounds it lies. */
final class CertaintyJson {
    private CertaintyJson() {}

    /**
     * Writes {@code device_lines}, an array of {@code part, kind, bytes, low, high, source} whose bytes add up to the
     * peak of device memory but for part {@code paged}, and {@code interval} with {@code level, low, high}. The kind is
     * {@code exact}, {@code bounded}, or {@code unmodelled} when operators without a rule had a part in it.
     */
    static void write(Certainty certainty, boolean unmodelled, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("device_lines");
        for (DeviceLine line : certainty.lines()) {
            boolean gaps = unmodelled && line.part().equals(DeviceLine.RESERVED);
            line(line, gaps ? "unmodelled" : kind(line), json);
        }
        json.writeEndArray();
        Interval interval = certainty.interval();
        json.writeObjectFieldStart("interval");
        json.writeNumberField("level", interval.level());
        json.writeNumberField("low", interval.low());
        json.writeNumberField("high", interval.high());
        json.writeEndObject();
    }

    private static String kind(DeviceLine line) {
        return line.exact() ? "exact" : "bounded";
    }

    static void line(DeviceLine line, JsonGenerator json) throws IOException {
        line(line, kind(line), json);
    }

    private static void line(DeviceLine line, String kind, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("part", line.part());
        json.writeStringField("kind", kind);
        json.writeNumberField("bytes", line.bytes());
        json.writeNumberField("low", line.low());
        json.writeNumberField("high", line.high());
        json.writeStringField("source", line.source());
        json.writeEndObject();
    }
}
