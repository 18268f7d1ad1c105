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
        JsonOutput.number(json, "batch", run.sizes().batch());
        json.writeObjectFieldStart("dims");
        for (Map.Entry<String, Long> dim : run.sizes().dims().entrySet()) {
            json.writeNumberField(dim.getKey(), dim.getValue());
        }
        json.writeEndObject();
        json.writeStringField("optimizer", run.optimizer().kind().option());
        json.writeStringField("foreach", OptionNames.of(run.optimizer().foreach()));
        json.writeBooleanField("fused", run.optimizer().fused());
        json.writeStringField("dtype", type(run.precision().dtype()));
        json.writeStringField("amp", type(run.precision().amp()));
        json.writeStringField("loss", OptionNames.of(run.loop().loss()));
        json.writeNumberField("checkpoint", run.checkpointing().segments());
        JsonOutput.strings(json, "checkpoint_modules", run.checkpointing().modules());
        if (run.checkpointing().reentrant() == null) {
            json.writeNullField("reentrant");
        } else {
            json.writeBooleanField("reentrant", run.checkpointing().reentrant());
        }
        json.writeNumberField("accumulate", run.loop().accumulate());
        json.writeNumberField("steps", run.loop().steps());
        json.writeBooleanField("zero_grad_keep", run.loop().zeroGradKeep());
        json.writeBooleanField("channels_last", run.kernels().channelsLast());
        json.writeBooleanField("cudnn_benchmark", run.kernels().cudnnBenchmark());
        if (run.kernels().cudnnWorkspace().bytes() == null
                && run.kernels().cudnnWorkspace().source() != Scenario.Workspaces.AUTO) {
            json.writeStringField(
                    "cudnn_workspace",
                    OptionNames.of(run.kernels().cudnnWorkspace().source()));
        } else {
            JsonOutput.number(
                    json, "cudnn_workspace", run.kernels().cudnnWorkspace().bytes());
        }
        json.writeStringField("attention", OptionNames.of(run.kernels().attention()));
        json.writeBooleanField("input_grad", run.loop().inputGrad());
        json.writeBooleanField("drop_outputs", run.loop().dropOutputs());
        json.writeBooleanField("inference", run.loop().inference());
        json.writeStringField("alloc_conf", run.allocConf());
        json.writeStringField("torch", run.torch().toString());
        json.writeEndObject();
    }

    /** {@code null} stays {@code null}: the types of the graph. */
    private static String type(DType type) {
        return type == null ? null : OptionNames.of(type);
    }
}
