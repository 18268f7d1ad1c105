package dev.headroom.app.measure;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.app.report.JsonOutput;
import dev.headroom.app.report.JsonReport;
import dev.headroom.app.report.RunJson;
import dev.headroom.executor.kernel.DeviceMeter;
import dev.headroom.executor.measure.Measurement;
import dev.headroom.executor.tensor.MemoryLog;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.run.PhaseMemory;
import java.io.IOException;
import java.io.Writer;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Predicted beside measured as one JSON object: bytes throughout, differences are measured minus predicted. */
final class MeasureJson {
    private final JsonGenerator json;

    private MeasureJson(JsonGenerator json) {
        this.json = json;
    }

    /** Writes the object and a line feed; the writer stays open. */
    static void write(RankComparisons ranks, boolean numbersAreReal, Writer out) {
        Comparison comparison = ranks.comparison();
        JsonOutput.write(out, json -> {
            MeasureJson report = new MeasureJson(json);
            json.writeStartObject();
            json.writeFieldName("predicted");
            JsonReport.write(comparison.predicted(), json);
            report.measured(comparison.measured(), numbersAreReal);
            report.difference(comparison);
            report.ranks(ranks);
            json.writeEndObject();
        });
    }

    /** The others are told in short; a run on a single GPU has no ranks. */
    private void ranks(RankComparisons ranks) throws IOException {
        boolean several = ranks.comparison().predicted().run().parallel().kind() != ParallelKind.SINGLE;
        json.writeArrayFieldStart("ranks");
        for (var of : several
                ? ranks.ranks().entrySet()
                : Map.<Integer, Comparison>of().entrySet()) {
            Comparison c = of.getValue();
            json.writeStartObject();
            json.writeNumberField("rank", of.getKey());
            json.writeBooleanField("equal", c.equal());
            json.writeNumberField("allocated", c.measured().peak().allocated());
            json.writeNumberField("reserved", c.measured().peak().reserved());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void measured(Measurement m, boolean numbersAreReal) throws IOException {
        json.writeObjectFieldStart("measured");
        json.writeStringField("backend", m.backend());
        json.writeBooleanField("numbers_are_real", numbersAreReal);
        json.writeArrayFieldStart("phases");
        for (PhaseMemory p : m.phases()) {
            RunJson.phase(p, json);
        }
        json.writeEndArray();
        json.writeObjectFieldStart("peak");
        json.writeNumberField("allocated", m.peak().allocated());
        json.writeNumberField("reserved", m.peak().reserved());
        json.writeEndObject();
        json.writeArrayFieldStart("layers");
        for (MemoryLog.Share s : m.atPeak()) {
            json.writeStartObject();
            json.writeStringField("module", s.owner().module());
            json.writeStringField("operator", s.owner().operator());
            json.writeNumberField("peak_share", s.requested());
            json.writeNumberField("rounded", s.rounded());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("workspaces");
        for (Measurement.Workspace w : m.workspaces()) {
            json.writeStartObject();
            json.writeStringField("name", w.name());
            json.writeNumberField("at_peak", w.atPeak());
            json.writeNumberField("most", w.most());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("loss");
        for (Double value : m.losses()) {
            // JSON has no word for what is no number.
            json.writeObject(Double.isFinite(value) ? value : null);
        }
        json.writeEndArray();
        device(m.device());
        RunJson.oom(m.oom(), json);
        json.writeEndObject();
    }

    private void device(Measurement.@Nullable Device d) throws IOException {
        if (d == null) {
            json.writeNullField("device");
            return;
        }
        json.writeObjectFieldStart("device");
        reading("before_context", d.beforeContext());
        reading("after_context", d.afterContext());
        reading("before_run", d.started());
        reading("after_run", d.ended());
        json.writeEndObject();
    }

    private void reading(String name, DeviceMeter.Reading r) throws IOException {
        json.writeObjectFieldStart(name);
        number("free", r.free());
        number("used", r.used());
        number("process", r.process());
        json.writeEndObject();
    }

    /** Phases that are as predicted are left out. */
    private void difference(Comparison c) throws IOException {
        json.writeObjectFieldStart("difference");
        json.writeBooleanField("equal", c.equal());
        json.writeNumberField("allocated", c.allocated());
        json.writeNumberField("reserved", c.reserved());
        json.writeBooleanField("same_end", c.sameEnd());
        json.writeArrayFieldStart("phases");
        for (Comparison.Phase p : c.different()) {
            json.writeStartObject();
            RunJson.moment(p.moment(), json);
            number("allocated", p.difference(PhaseMemory::allocated));
            number("reserved", p.difference(PhaseMemory::reserved));
            number("max_allocated", p.difference(PhaseMemory::maxAllocated));
            number("max_reserved", p.difference(PhaseMemory::maxReserved));
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("modules");
        for (ModuleShares.Share s : ModuleShares.of(c)) {
            json.writeStartObject();
            json.writeStringField("module", s.module());
            json.writeNumberField("predicted", s.predicted());
            json.writeNumberField("measured", s.measured());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void number(String key, OptionalLong value) throws IOException {
        number(key, value.isPresent() ? (Long) value.getAsLong() : null);
    }

    private void number(String key, @Nullable Number value) throws IOException {
        JsonOutput.number(json, key, value);
    }
}
