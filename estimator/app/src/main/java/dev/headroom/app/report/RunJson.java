package dev.headroom.app.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.estimator.parallel.group.CollectiveRow;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.units.OptionNames;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Phases and their ends in JSON, the same for runs that were predicted and for runs that were measured; bytes. */
public final class RunJson {
    private RunJson() {}

    /** The object of a phase. */
    public static void phase(PhaseMemory phase, JsonGenerator json) throws IOException {
        json.writeStartObject();
        memory(phase, json);
        json.writeEndObject();
    }

    /** The same with what a rank asked of NCCL, a row each as recordings of parallel runs have them. */
    static void phase(PhaseMemory phase, List<CollectiveRow> collectives, JsonGenerator json) throws IOException {
        json.writeStartObject();
        memory(phase, json);
        json.writeArrayFieldStart("collectives");
        for (CollectiveRow row : collectives) {
            json.writeStartArray();
            json.writeString(row.kind().label());
            json.writeNumber(row.bytes());
            json.writeString(OptionNames.of(row.type()));
            for (int number : new int[] {row.groupSize(), row.communicator(), row.stream(), row.peer(), row.times()}) {
                json.writeNumber(number);
            }
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void memory(PhaseMemory phase, JsonGenerator json) throws IOException {
        moment(phase.moment(), json);
        json.writeNumberField("allocated", phase.allocated());
        json.writeNumberField("reserved", phase.reserved());
        json.writeNumberField("max_allocated", phase.maxAllocated());
        json.writeNumberField("max_reserved", phase.maxReserved());
    }

    /** The fields that say which phase an object is about. */
    public static void moment(Moment moment, JsonGenerator json) throws IOException {
        json.writeStringField("phase", moment.phase().label());
        JsonOutput.number(json, "step", moment.step());
        JsonOutput.number(json, "micro", moment.micro());
    }

    /** The field {@code oom}; {@code null} for a run that got through. */
    public static void oom(@Nullable OutOfMemory oom, JsonGenerator json) throws IOException {
        if (oom == null) {
            json.writeNullField("oom");
            return;
        }
        json.writeObjectFieldStart("oom");
        json.writeStringField("phase", oom.phase().label());
        JsonOutput.number(json, "step", oom.step());
        json.writeStringField("module", oom.module());
        json.writeStringField("operator", oom.operator());
        json.writeNumberField("requested", oom.requested());
        if (oom.device() != null) {
            json.writeNumberField("device", oom.device());
        }
        json.writeEndObject();
    }
}
