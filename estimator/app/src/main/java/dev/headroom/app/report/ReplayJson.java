package dev.headroom.app.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.allocator.replay.ReplayResult;
import dev.headroom.estimator.predict.Prediction;
import java.io.IOException;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/**
 * A comparison of settings as one JSON object: {@code trace, events, device, limit, settings, best, warnings}; bytes
 * throughout, {@code best} is the {@code alloc_conf} of a member of {@code settings}.
 */
final class ReplayJson {
    private final JsonGenerator json;

    private ReplayJson(JsonGenerator json) {
        this.json = json;
    }

    /** Writes the object and a line feed; the writer stays open. */
    static void write(ReplayReport report, Writer out) {
        JsonOutput.write(out, json -> new ReplayJson(json).report(report));
    }

    private void report(ReplayReport report) throws IOException {
        json.writeStartObject();
        json.writeStringField("trace", report.trace());
        json.writeNumberField("events", report.recorded().events());
        device(report.device());
        JsonOutput.number(json, "limit", report.limit());
        json.writeArrayFieldStart("settings");
        for (ReplayResult result : report.comparison().results()) {
            result(result, result.equals(report.recorded()));
        }
        json.writeEndArray();
        ReplayResult best = report.comparison().best();
        json.writeStringField("best", best == null ? null : best.settings().text());
        JsonOutput.strings(json, "warnings", report.warnings());
        json.writeEndObject();
    }

    private void device(Prediction.@Nullable Device device) throws IOException {
        if (device == null) {
            json.writeNullField("device");
            return;
        }
        json.writeObjectFieldStart("device");
        json.writeStringField("gpu", device.gpu() == null ? null : device.gpu().name());
        json.writeNumberField("memory", device.memory());
        json.writeNumberField("in_use", device.inUse());
        json.writeEndObject();
    }

    private void result(ReplayResult result, boolean recorded) throws IOException {
        json.writeStartObject();
        json.writeStringField("alloc_conf", result.settings().text());
        json.writeBooleanField("as_recorded", recorded);
        json.writeObjectFieldStart("peak");
        json.writeNumberField("allocated", result.peakAllocated());
        json.writeNumberField("reserved", result.peakReserved());
        json.writeEndObject();
        json.writeNumberField("ideal_reserved", result.idealReserved());
        json.writeNumberField("fragmentation", result.fragmentation());
        json.writeNumberField("retries", result.retries());
        json.writeNumberField("ooms", result.outOfMemory());
        json.writeBooleanField("fits", result.fits());
        failure(result.firstFailure());
        json.writeEndObject();
    }

    private void failure(ReplayResult.@Nullable Failure failure) throws IOException {
        if (failure == null) {
            json.writeNullField("oom");
            return;
        }
        json.writeObjectFieldStart("oom");
        json.writeNumberField("event", failure.event());
        json.writeStringField("after", failure.phase());
        json.writeNumberField("requested", failure.requested());
        json.writeNumberField("allocated", failure.allocated());
        json.writeNumberField("reserved", failure.reserved());
        json.writeEndObject();
    }
}
