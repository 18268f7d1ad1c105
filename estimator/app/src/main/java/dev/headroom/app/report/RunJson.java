package dev.headroom.app.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.PhaseMemory;
import java.io.IOException;

/** Phases and their ends in JSON, the same for runs that were predicted and for runs that were measured; bytes. */
public final class RunJson {
    private RunJson() {}

    /** The object of a phase. */
    public static void phase(PhaseMemory phase, JsonGenerator json) throws IOException {
        json.writeStartObject();
        moment(phase.moment(), json);
        json.writeNumberField("allocated", phase.allocated());
        json.writeNumberField("reserved", phase.reserved());
        json.writeNumberField("max_allocated", phase.maxAllocated());
        json.writeNumberField("max_reserved", phase.maxReserved());
        json.writeEndObject();
    }

    /** The fields that say which phase an object is about. */
    public static void moment(Moment moment, JsonGenerator json) throws IOException {
        json.writeStringField("phase", moment.phase().label());
        JsonOutput.number(json, "step", moment.step());
        JsonOutput.number(json, "micro", moment.micro());
    }

    /** The field {@code oom}; {@code null} for a run that got through. */
    public static void oom(OutOfMemory oom, JsonGenerator json) throws IOException {
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
