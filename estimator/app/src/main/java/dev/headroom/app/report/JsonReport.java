package dev.headroom.app.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.app.words.Door;
import dev.headroom.estimator.cudnn.WorkspaceSources;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.parallel.group.CollectiveRow;
import dev.headroom.estimator.predict.DeviceMemory;
import dev.headroom.estimator.predict.LayerShare;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.RankMemory;
import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.run.PhaseMemory;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A prediction as one JSON object: bytes throughout, keys in a fixed order, {@code null} where nothing is known. */
public final class JsonReport {
    private final JsonGenerator json;

    private JsonReport(JsonGenerator json) {
        this.json = json;
    }

    /** Writes the object and a line feed; the writer stays open. */
    public static void write(Prediction prediction, Writer out) {
        write(prediction, Door.here(), out);
    }

    /** The same with settings told in the words of a door. */
    public static void write(Prediction prediction, Door door, Writer out) {
        JsonOutput.write(door, out, json -> new JsonReport(json).prediction(prediction));
    }

    /** The same with a field {@code timeline} of so many columns at most. */
    public static void write(PlayedRun run, int columns, Writer out) {
        JsonOutput.write(out, json -> {
            json.writeStartObject();
            new JsonReport(json).fields(run.prediction());
            TimelineJson.write(run.timeline(), columns, json);
            json.writeEndObject();
        });
    }

    /** Writes the object as a part of a larger one. */
    public static void write(Prediction prediction, JsonGenerator json) throws IOException {
        new JsonReport(json).prediction(prediction);
    }

    private void prediction(Prediction p) throws IOException {
        json.writeStartObject();
        fields(p);
        json.writeEndObject();
    }

    private void fields(Prediction p) throws IOException {
        json.writeStringField("model", p.model());
        ScenarioJson.write(json, p.run());
        device(p.device());
        run(p.phases(), p.collectives(), p.peak());
        atPeak(p.atPeak(), p.rounding(), p.cachedFree());
        json.writeArrayFieldStart("layers");
        for (LayerShare layer : p.layers()) {
            layer(layer);
        }
        json.writeEndArray();
        verdict(p.verdict());
        RunJson.oom(p.oom(), json);
        JsonOutput.strings(json, "warnings", p.warnings());
        json.writeArrayFieldStart("unmodelled");
        for (Prediction.Unmodelled u : p.unmodelled()) {
            json.writeStartObject();
            json.writeStringField("operator", u.operator());
            json.writeNumberField("count", u.count());
            json.writeEndObject();
        }
        json.writeEndArray();
        convolutions(p.convolutions());
        CertaintyJson.write(p.certainty(), !p.unmodelled().isEmpty(), json);
        devices(p.devices());
        ranks(p.ranks());
    }

    private void device(Prediction.@Nullable Device device) throws IOException {
        if (device == null) {
            json.writeNullField("device");
            return;
        }
        Gpu gpu = device.gpu();
        json.writeObjectFieldStart("device");
        json.writeStringField("gpu", gpu == null ? null : gpu.name());
        json.writeStringField("title", gpu == null ? null : gpu.title());
        json.writeStringField("capability", gpu == null ? null : gpu.major() + "." + gpu.minor());
        number("sms", gpu == null ? null : (Long) (long) gpu.sms());
        json.writeNumberField("memory", device.memory());
        json.writeNumberField("in_use", device.inUse());
        number("limit", device.limit());
        json.writeEndObject();
    }

    /** @param collectives by phase; empty for a run on one GPU */
    private void run(List<PhaseMemory> phases, List<List<CollectiveRow>> collectives, Prediction.Peak peak)
            throws IOException {
        json.writeArrayFieldStart("phases");
        for (int i = 0; i < phases.size(); i++) {
            if (i < collectives.size()) {
                RunJson.phase(phases.get(i), collectives.get(i), json);
            } else {
                RunJson.phase(phases.get(i), json);
            }
        }
        json.writeEndArray();
        peak(peak);
    }

    private void peak(Prediction.Peak peak) throws IOException {
        json.writeObjectFieldStart("peak");
        json.writeNumberField("allocated", peak.allocated());
        json.writeNumberField("reserved", peak.reserved());
        json.writeNumberField("device", peak.device());
        json.writeEndObject();
    }

    private void ranks(List<RankMemory> ranks) throws IOException {
        if (ranks.isEmpty()) {
            return;
        }
        json.writeArrayFieldStart("ranks");
        for (RankMemory rank : ranks) {
            json.writeStartObject();
            json.writeStringField("ranks", rank.words());
            peak(rank.peak());
            json.writeArrayFieldStart("device_lines");
            for (DeviceLine line : rank.lines()) {
                CertaintyJson.line(line, json);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void devices(List<DeviceMemory> devices) throws IOException {
        if (devices.isEmpty()) {
            return;
        }
        json.writeArrayFieldStart("devices");
        for (DeviceMemory device : devices) {
            json.writeStartObject();
            json.writeNumberField("device", device.device());
            run(device.phases(), List.of(), device.peak());
            atPeak(device.atPeak(), device.rounding(), device.cachedFree());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void atPeak(Map<Category, Long> atPeak, long rounding, long cachedFree) throws IOException {
        json.writeObjectFieldStart("at_peak");
        for (Category category : Category.values()) {
            json.writeNumberField(category.key(), atPeak.getOrDefault(category, 0L));
        }
        json.writeNumberField("rounding", rounding);
        json.writeNumberField("cached_free", cachedFree);
        json.writeEndObject();
    }

    private void layer(LayerShare layer) throws IOException {
        json.writeStartObject();
        json.writeStringField("module", layer.module());
        json.writeStringField("operator", layer.operator());
        json.writeNumberField("parameters", layer.parameters());
        json.writeNumberField("gradients", layer.gradients());
        json.writeNumberField("optimizer_state", layer.optimizerState());
        json.writeNumberField("saved", layer.saved());
        json.writeNumberField("peak_share", layer.peakShare());
        json.writeEndObject();
    }

    private void verdict(Prediction.Verdict verdict) throws IOException {
        json.writeObjectFieldStart("verdict");
        if (verdict.fits() == null) {
            json.writeNullField("fits");
        } else {
            json.writeBooleanField("fits", verdict.fits());
        }
        number("headroom", verdict.headroom());
        if (verdict.probabilityOom() == null) {
            json.writeNullField("probability_oom");
        } else {
            json.writeNumberField("probability_oom", verdict.probabilityOom());
        }
        number("minimum_memory", verdict.minimumMemory());
        json.writeEndObject();
    }

    private void convolutions(Prediction.@Nullable Convolutions convolutions) throws IOException {
        if (convolutions == null) {
            json.writeNullField("convolution_workspaces");
            return;
        }
        json.writeObjectFieldStart("convolution_workspaces");
        for (WorkspaceLevel level : WorkspaceLevel.values()) {
            json.writeNumberField(level.label(), convolutions.count(level.label()));
        }
        json.writeNumberField(WorkspaceSources.UNKNOWN, convolutions.count(WorkspaceSources.UNKNOWN));
        json.writeStringField("source", convolutions.source());
        json.writeEndObject();
    }

    private void number(String key, @Nullable Number value) throws IOException {
        JsonOutput.number(json, key, value);
    }
}
