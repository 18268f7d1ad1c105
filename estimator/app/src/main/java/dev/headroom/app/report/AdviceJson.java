package dev.headroom.app.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.advisor.change.Change;
import dev.headroom.advisor.change.Cost;
import dev.headroom.advisor.plans.Advice;
import dev.headroom.advisor.plans.Largest;
import dev.headroom.advisor.plans.Plan;
import dev.headroom.advisor.plans.Shortfall;
import dev.headroom.app.option.ScenarioArguments;
import dev.headroom.app.words.Door;
import dev.headroom.model.units.OptionNames;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Advice as one JSON object: {@code goal, fits, asked, largest, plans, shortfall, notes}; bytes throughout. {@code
 * asked} is the prediction as {@link JsonReport} writes it, a plan's {@code arguments} are words for {@code headroom
 * predict}.
 */
public final class AdviceJson {
    private final JsonGenerator json;

    private AdviceJson(JsonGenerator json) {
        this.json = json;
    }

    /** Writes the object and a line feed; the writer stays open. */
    public static void write(Advice advice, Writer out) {
        write(advice, Door.here(), out);
    }

    /** The same with settings told in the words of a door. */
    public static void write(Advice advice, Door door, Writer out) {
        JsonOutput.write(door, out, json -> new AdviceJson(json).advice(advice));
    }

    private void advice(Advice advice) throws IOException {
        json.writeStartObject();
        json.writeStringField("goal", OptionNames.of(advice.goal()));
        json.writeBooleanField("fits", advice.fits());
        json.writeFieldName("asked");
        JsonReport.write(advice.asked(), json);
        json.writeArrayFieldStart("largest");
        for (Largest largest : advice.largest()) {
            largest(largest);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("plans");
        for (Plan plan : advice.plans()) {
            plan(plan);
        }
        json.writeEndArray();
        shortfall(advice.shortfall());
        JsonOutput.strings(json, "notes", advice.notes());
        json.writeEndObject();
    }

    private void largest(Largest largest) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", largest.name());
        JsonOutput.number(json, "value", largest.value());
        JsonOutput.number(json, "next", largest.next());
        json.writeStringField("limit", OptionNames.of(largest.limit()));
        JsonOutput.number(json, "safe", largest.safe());
        json.writeNumberField("safe_risk", Largest.RISK);
        json.writeEndObject();
    }

    private void plan(Plan plan) throws IOException {
        json.writeStartObject();
        json.writeStringField("intrusion", OptionNames.of(plan.intrusion()));
        changes(plan.changes());
        ScenarioJson.write(json, plan.prediction().run());
        JsonOutput.strings(
                json, "arguments", ScenarioArguments.of(plan.prediction().run()));
        json.writeObjectFieldStart("peak");
        json.writeNumberField("allocated", plan.prediction().peak().allocated());
        json.writeNumberField("reserved", plan.prediction().peak().reserved());
        json.writeNumberField("device", plan.prediction().peak().device());
        json.writeEndObject();
        JsonOutput.number(json, "headroom", plan.prediction().verdict().headroom());
        Double risk = plan.prediction().verdict().probabilityOom();
        if (risk == null) {
            json.writeNullField("probability_oom");
        } else {
            json.writeNumberField("probability_oom", risk);
        }
        JsonOutput.number(json, "minimum_memory", plan.prediction().verdict().minimumMemory());
        price(plan);
        json.writeEndObject();
    }

    private void price(Plan plan) throws IOException {
        Cost cost = plan.cost();
        json.writeObjectFieldStart("price");
        JsonOutput.number(json, "recomputed_flops", cost.recomputedFlops());
        json.writeNumberField("recomputed_share", cost.recomputedShare());
        json.writeNumberField("passes", cost.passes());
        JsonOutput.strings(json, "effects", plan.effects());
        json.writeEndObject();
    }

    private void changes(List<Change> changes) throws IOException {
        json.writeArrayFieldStart("changes");
        for (Change change : changes) {
            json.writeStartObject();
            json.writeStringField("kind", change.kind());
            json.writeStringField("title", change.title());
            json.writeStringField("intrusion", OptionNames.of(change.intrusion()));
            JsonOutput.strings(json, "code", change.code());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void shortfall(@Nullable Shortfall shortfall) throws IOException {
        if (shortfall == null) {
            json.writeNullField("shortfall");
            return;
        }
        json.writeObjectFieldStart("shortfall");
        changes(shortfall.changes());
        json.writeNumberField("minimum_memory", shortfall.minimumMemory());
        json.writeNumberField("missing", shortfall.missing());
        json.writeEndObject();
    }
}
