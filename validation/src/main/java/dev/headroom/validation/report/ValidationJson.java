package dev.headroom.validation.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.app.report.JsonOutput;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.validation.Comparison;
import dev.headroom.validation.runs.Outcome;
import dev.headroom.validation.runs.Scores;
import dev.headroom.validation.runs.Skipped;
import dev.headroom.validation.runs.Validation;
import dev.headroom.validation.scores.Answer;
import dev.headroom.validation.scores.Distribution;
import dev.headroom.validation.scores.EstimatorScore;
import dev.headroom.validation.scores.Peak;
import dev.headroom.validation.scores.Verdicts;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A validation as one JSON object: {@code seconds, errors, by_source, by_model, by_gpu, verdicts, coverage, estimators,
 * exceeded, outcomes, skipped}; bytes throughout, errors as shares (0.01 is one percent), {@code null} where nothing is
 * known.
 */
public final class ValidationJson {
    private final JsonGenerator json;

    private ValidationJson(JsonGenerator json) {
        this.json = json;
    }

    /**
     * Writes the object and a line feed; the writer stays open.
     *
     * @param exceeded thresholds that were not kept, one line each
     */
    public static void write(Validation validation, Scores scores, List<String> exceeded, Writer out) {
        JsonOutput.write(out, json -> new ValidationJson(json).validation(validation, scores, exceeded));
    }

    private void validation(Validation validation, Scores scores, List<String> exceeded) throws IOException {
        json.writeStartObject();
        json.writeNumberField("seconds", validation.seconds());
        json.writeObjectFieldStart("errors");
        group(scores.all());
        groups(scores.quantities());
        json.writeEndObject();
        groups("by_source", scores.sources());
        groups("by_model", scores.models());
        groups("by_gpu", scores.gpus());
        verdicts(scores.verdicts());
        coverage(scores.coverage());
        json.writeArrayFieldStart("estimators");
        for (EstimatorScore estimator : scores.estimators()) {
            estimator(estimator);
        }
        json.writeEndArray();
        JsonOutput.strings(json, "exceeded", exceeded);
        json.writeArrayFieldStart("outcomes");
        for (Outcome outcome : validation.outcomes()) {
            outcome(outcome);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("skipped");
        for (Skipped skipped : validation.skipped()) {
            json.writeStartObject();
            json.writeStringField("source", skipped.source());
            json.writeStringField("name", skipped.name());
            json.writeStringField("cause", skipped.cause().name().toLowerCase(Locale.ROOT));
            json.writeStringField("reason", skipped.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void groups(String key, List<Scores.Group> groups) throws IOException {
        json.writeObjectFieldStart(key);
        groups(groups);
        json.writeEndObject();
    }

    private void groups(List<Scores.Group> groups) throws IOException {
        for (Scores.Group group : groups) {
            group(group);
        }
    }

    private void group(Scores.Group group) throws IOException {
        json.writeObjectFieldStart(group.name());
        json.writeNumberField("runs", group.runs());
        json.writeNumberField("exact", group.exact());
        distribution(group.errors());
        json.writeEndObject();
    }

    private void distribution(Distribution d) throws IOException {
        json.writeNumberField("compared", d.count());
        number("median", d.median());
        number("mean", d.mean());
        number("ninety", d.ninety());
        number("worst", d.worst());
    }

    private void verdicts(Verdicts v) throws IOException {
        json.writeObjectFieldStart("verdicts");
        verdictCounts(v);
        json.writeEndObject();
    }

    private void verdictCounts(Verdicts v) throws IOException {
        json.writeNumberField("fits", v.fits());
        json.writeNumberField("missed", v.missed());
        json.writeNumberField("alarms", v.alarms());
        json.writeNumberField("caught", v.caught());
        number("brier", v.brier());
    }

    private void coverage(Scores.Coverage c) throws IOException {
        json.writeObjectFieldStart("coverage");
        number("level", c.level());
        json.writeNumberField("stated", c.stated());
        json.writeNumberField("covered", c.covered());
        number("share", c.share());
        json.writeEndObject();
    }

    private void estimator(EstimatorScore e) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", e.name());
        distribution(e.errors());
        verdictCounts(e.verdicts());
        json.writeEndObject();
    }

    private void outcome(Outcome o) throws IOException {
        json.writeStartObject();
        json.writeStringField("source", o.source());
        json.writeStringField("name", o.name());
        json.writeStringField("model", o.model());
        json.writeStringField("gpu", o.gpu());
        json.writeBooleanField("exact", o.exact());
        json.writeObjectFieldStart("peaks");
        for (Peak peak : o.peaks()) {
            peak(peak.quantity().label(), peak);
        }
        json.writeEndObject();
        verdict("verdict", o.verdict());
        interval(o.interval());
        json.writeArrayFieldStart("phases");
        for (Comparison.Row row : o.phases()) {
            phase(row);
        }
        json.writeEndArray();
        json.writeStringField("divergence", o.divergence());
        json.writeObjectFieldStart("others");
        for (Map.Entry<String, Answer> other : o.others().entrySet()) {
            json.writeObjectFieldStart(other.getKey());
            if (other.getValue().peak() == null) {
                json.writeNullField("peak");
            } else {
                peak("peak", other.getValue().peak());
            }
            verdict("verdict", other.getValue().verdict());
            json.writeEndObject();
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private void peak(String key, Peak peak) throws IOException {
        json.writeObjectFieldStart(key);
        json.writeNumberField("predicted", peak.predicted());
        json.writeNumberField("measured", peak.measured());
        json.writeNumberField("error", peak.error());
        json.writeEndObject();
    }

    private void verdict(String key, Verdicts.@Nullable Verdict verdict) throws IOException {
        if (verdict == null) {
            json.writeNullField(key);
            return;
        }
        json.writeObjectFieldStart(key);
        json.writeBooleanField("measured_oom", verdict.measured());
        json.writeBooleanField("predicted_oom", verdict.predicted());
        number("probability_oom", verdict.probability() == null ? Double.NaN : verdict.probability());
        json.writeEndObject();
    }

    private void interval(Outcome.@Nullable Interval i) throws IOException {
        if (i == null) {
            json.writeNullField("interval");
            return;
        }
        json.writeObjectFieldStart("interval");
        json.writeNumberField("level", i.level());
        json.writeNumberField("low", i.low());
        json.writeNumberField("high", i.high());
        json.writeNumberField("measured", i.measured());
        json.writeBooleanField("covers", i.covers());
        json.writeEndObject();
    }

    private void phase(Comparison.Row row) throws IOException {
        Recording.Phase measured = row.recorded();
        PhaseMemory predicted = row.predicted();
        json.writeStartObject();
        json.writeStringField("phase", measured.phase());
        JsonOutput.number(json, "step", measured.step());
        JsonOutput.number(json, "micro", measured.micro());
        state("measured", measured.allocated(), measured.reserved(), measured.maxAllocated(), measured.maxReserved());
        state(
                "predicted",
                predicted.allocated(),
                predicted.reserved(),
                predicted.maxAllocated(),
                predicted.maxReserved());
        json.writeEndObject();
    }

    private void state(String key, long allocated, long reserved, long maxAllocated, long maxReserved)
            throws IOException {
        json.writeObjectFieldStart(key);
        json.writeNumberField("allocated", allocated);
        json.writeNumberField("reserved", reserved);
        json.writeNumberField("max_allocated", maxAllocated);
        json.writeNumberField("max_reserved", maxReserved);
        json.writeEndObject();
    }

    /** JSON has no NaN. */
    private void number(String key, double value) throws IOException {
        if (Double.isNaN(value)) {
            json.writeNullField(key);
        } else {
            json.writeNumberField(key, value);
        }
    }
}
