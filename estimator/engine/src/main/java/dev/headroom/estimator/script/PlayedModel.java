package dev.headroom.estimator.script;

import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.program.GraphRunner;
import dev.headroom.estimator.program.ModelAssembly;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.program.Placement;
import dev.headroom.estimator.program.Preparation;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymbolBinding;
import dev.headroom.model.rewrite.ModelMode;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.script.Script;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A model of a loop on the device. */
final class PlayedModel {
    private final Script.Model model;
    private final TrainingLoop loop;
    private final PreparedRun prepared;
    private final ModelTensors tensors;
    private final Map<Boolean, GraphRunner> runners = new HashMap<>();
    private boolean evaluates;

    /** Brings it there, or makes the copy that {@code copy.deepcopy} makes of one that is there. */
    PlayedModel(Script.Model model, TrainingLoop loop, boolean copied) {
        this.model = model;
        this.loop = loop;
        this.prepared = prepared(model.graph());
        ModelAssembly assembly = ModelAssembly.of(loop.runtime(), prepared, Placement.FIRST);
        this.tensors = new ModelTensors(
                loop.runtime(), copied ? assembly.copy().add() : assembly.move().add());
    }

    private PreparedRun prepared(Graph graph) {
        Scenario run = loop.prepared().scenario();
        Map<String, Long> dims = new LinkedHashMap<>();
        run.sizes().dims().forEach((name, size) -> {
            boolean own = name.startsWith(model.name() + ".") || name.startsWith(model.name() + "/");
            if (own) {
                dims.put(name.substring(model.name().length() + 1), size);
            }
        });
        Long batch = SymbolBinding.hasBatch(graph) ? run.sizes().batch() : null;
        return Preparation.of(graph, run.with(ScenarioSettings.DIMS, dims).with(ScenarioSettings.BATCH, batch));
    }

    Script.Model model() {
        return model;
    }

    /** In its sizes. */
    PreparedRun prepared() {
        return prepared;
    }

    ModelTensors tensors() {
        return tensors;
    }

    /** Adds what it remembers beside its tensors. */
    void describe(Beginning to) {
        to.flag(evaluates);
        for (boolean evaluating : new boolean[] {true, false}) {
            GraphRunner runner = runners.get(evaluating);
            to.flag(runner != null);
            if (runner != null) {
                runner.describe(to);
            }
        }
    }

    /** {@code train()} or {@code eval()}. */
    void evaluates(boolean now) {
        evaluates = now;
    }

    /** {@code requires_grad_}. */
    void requireGradients(boolean required) {
        tensors.parameters().forEach(p -> loop.runtime().requireGrad(p, required));
    }

    /**
     * {@code model(inputs)}.
     *
     * @param inputs in order; borrowed
     * @return with a reference each for the caller
     */
    Tensor[] call(List<Tensor> inputs) {
        Map<String, Tensor> values = new HashMap<>(tensors.byValue());
        int next = 0;
        for (Graph.Input in : prepared.graph().inputs()) {
            if (in.kind() == Graph.InputKind.USER) {
                values.put(in.value(), inputs.get(next++));
            }
        }
        return runners.computeIfAbsent(evaluates, this::runner).run(values);
    }

    private GraphRunner runner(boolean evaluating) {
        return loop.runner(evaluating ? prepared(ModelMode.evaluating(model.graph())) : prepared);
    }
}
