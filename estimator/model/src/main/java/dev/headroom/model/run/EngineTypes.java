package dev.headroom.model.run;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Graph.InputKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/**
 * What DeepSpeed's engine is told of a model that is loaded in half precision. Its JSON must name the type
 * ({@code bf16: {enabled}}), or it refuses the parameters (deepspeed/runtime/engine.py, _configure_distributed_model);
 * so whoever trains such a model has written it there, and nobody need say it to Headroom again.
 */
final class EngineTypes {
    private EngineTypes() {}

    /** The scenario with the type of the model's parameters where the engine would have to be told it. */
    static Scenario applied(Graph graph, Scenario run) {
        if (!run.parallel().kind().isDeepSpeed() || run.precision().dtype() != null) {
            return run;
        }
        List<DType> types = graph.held().tensors().values().stream()
                .filter(held -> held.kind() == InputKind.PARAMETER)
                .map(held -> held.meta().dtype())
                .filter(DType::isFloatingPoint)
                .distinct()
                .toList();
        boolean half = types.size() == 1 && types.get(0).isReducedFloat();
        return half ? run.withPrecision(run.precision().withDtype(types.get(0))) : run;
    }
}
