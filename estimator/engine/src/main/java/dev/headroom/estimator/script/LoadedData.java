package dev.headroom.estimator.script;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.loop.Batch;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.script.Script;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** What a loader brings: a tensor whenever it is asked, or one that is there from the beginning. */
final class LoadedData {
    private final TrainingLoop loop;
    private final Map<String, PlayedModel> models;
    private final Map<String, Script.Data> kinds = new HashMap<>();
    private final Map<String, Value> lasting = new HashMap<>();

    LoadedData(Script script, TrainingLoop loop, Map<String, PlayedModel> models) {
        this.loop = loop;
        this.models = models;
        script.data().forEach(d -> kinds.put(d.name(), d));
    }

    /** Adds what serves all steps. */
    void describe(Beginning to) {
        Value.describe(lasting, to);
    }

    /** Brings a tensor that serves all steps. */
    void bring(String name) {
        lasting.put(name, Value.Tensors.one(load(name)));
    }

    /** One that serves all steps; its references are not the caller's. */
    Value lasting(String name) {
        Value value = lasting.get(name);
        if (value == null) {
            throw new UserInputException("'" + name + "' holds nothing yet");
        }
        return value;
    }

    /** {@code x = next(loader).to(device)}: with a reference for the caller. */
    Tensor load(String name) {
        Script.Data d = Objects.requireNonNull(kinds.get(name), name);
        if (d.model() != null) {
            PlayedModel model = Objects.requireNonNull(models.get(d.model()));
            Graph graph = model.prepared().graph();
            String value = graph.inputs().stream()
                    .filter(in -> in.kind() == Graph.InputKind.USER
                            && in.qualifiedName().equals(d.input()))
                    .findFirst()
                    .orElseThrow()
                    .value();
            return Batch.input(loop.runtime(), model.prepared(), graph.meta(value));
        }
        Long batch = loop.prepared().scenario().sizes().batch();
        long[] sizes = new long[d.sizes().size()];
        for (int i = 0; i < sizes.length; i++) {
            Long size = d.sizes().get(i) == null ? batch : d.sizes().get(i);
            if (size == null) {
                throw new UserInputException("data '" + name + "' has the size of the batch: pass `batch=N`");
            }
            sizes[i] = size;
        }
        EagerRuntime runtime = loop.runtime();
        try (Frame frame = runtime.frame()) {
            return runtime.hold(runtime.emptyStrided(
                    Objects.requireNonNull(d.type()), sizes, Shapes.contiguous(sizes), Category.INPUTS));
        }
    }
}
