package dev.headroom.app.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.OptionNames;
import dev.headroom.model.scenario.Scenario;
import java.io.IOException;
import java.util.Map;

/** The scenario of a prediction: the command line's options with their values, defaults included. */
final class ScenarioJson {
    private ScenarioJson() {}

    static void write(JsonGenerator json, Scenario run) throws IOException {
        json.writeObjectFieldStart("scenario");
        JsonOutput.number(json, "batch", run.batch);
        json.writeObjectFieldStart("dims");
        for (Map.Entry<String, Long> dim : run.dims.entrySet()) {
            json.writeNumberField(dim.getKey(), dim.getValue());
        }
        json.writeEndObject();
        json.writeStringField("optimizer", run.optimizer.option());
        json.writeStringField("foreach", OptionNames.of(run.foreach));
        json.writeBooleanField("fused", run.fused);
        json.writeStringField("dtype", type(run.dtype));
        json.writeStringField("amp", type(run.amp));
        json.writeStringField("loss", OptionNames.of(run.loss));
        json.writeNumberField("checkpoint", run.checkpoint);
        JsonOutput.strings(json, "checkpoint_modules", run.checkpointModules);
        if (run.reentrant == null) {
            json.writeNullField("reentrant");
        } else {
            json.writeBooleanField("reentrant", run.reentrant);
        }
        json.writeNumberField("accumulate", run.accumulate);
        json.writeNumberField("steps", run.steps);
        json.writeBooleanField("zero_grad_keep", run.zeroGradKeep);
        json.writeBooleanField("channels_last", run.channelsLast);
        json.writeBooleanField("cudnn_benchmark", run.cudnnBenchmark);
        if (run.cudnnWorkspace == null && run.workspaces != Scenario.Workspaces.AUTO) {
            json.writeStringField("cudnn_workspace", OptionNames.of(run.workspaces));
        } else {
            JsonOutput.number(json, "cudnn_workspace", run.cudnnWorkspace);
        }
        json.writeStringField("attention", OptionNames.of(run.attention));
        json.writeBooleanField("input_grad", run.inputGrad);
        json.writeBooleanField("drop_outputs", run.dropOutputs);
        json.writeBooleanField("inference", run.inference);
        json.writeStringField("alloc_conf", run.allocConf);
        json.writeStringField("torch", run.torch);
        json.writeEndObject();
    }

    /** {@code null} stays {@code null}: the types of the graph. */
    private static String type(DType type) {
        return type == null ? null : OptionNames.of(type);
    }
}
