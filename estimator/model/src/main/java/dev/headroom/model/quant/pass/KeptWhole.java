package dev.headroom.model.quant.pass;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.Node;
import dev.headroom.model.quant.Load;
import dev.headroom.model.scenario.Scenario;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Modules that {@code from_pretrained(dtype=torch.float16)} reads in float32 all the same (transformers,
 * modeling_utils.py, _get_dtype_plan; {@code _keep_in_fp32_modules} of the models' classes).
 */
public final class KeptWhole {
    /** By where models are; names of modules. */
    private static final Map<String, List<String>> MODULES = Map.of(
            "transformers.models.t5.", List.of("wo"),
            "transformers.models.mt5.", List.of("wo"),
            "transformers.models.umt5.", List.of("wo"),
            "transformers.models.udop.", List.of("wo"),
            "transformers.models.pop2piano.", List.of("wo"),
            "transformers.models.gpt_oss.", List.of("post_attention_layernorm", "input_layernorm", "norm"));

    private KeptWhole() {}

    /** The names that a model of some classes keeps. */
    static Set<String> of(Graph graph) {
        Set<String> names = new LinkedHashSet<>();
        graph.nodes().stream()
                .flatMap(node -> node.moduleStack().stream())
                .map(Node.ModuleCall::type)
                .distinct()
                .forEach(type -> MODULES.forEach((models, modules) -> {
                    if (type.startsWith(models)) {
                        names.addAll(modules);
                    }
                }));
        return names;
    }

    /** Whether a run reads its model in this way. */
    public static boolean applies(Scenario run, @Nullable DType type) {
        return type == DType.FLOAT16 && run.quant().loads(null) == Load.DEVICE_MAP;
    }

    /** Whether a run reads the model of a graph in this way. */
    public static boolean applies(Graph graph, Scenario run) {
        DType asked = run.precision().dtype();
        return applies(run, asked == null ? QuantisedLinears.ownType(graph) : asked);
    }

    /** A graph whose model has these modules in float32. */
    public static Graph rewrite(Graph graph, Scenario run) {
        if (!applies(graph, run)) {
            return graph;
        }
        Set<String> names = of(graph);
        Map<String, HeldTensor> tensors = new LinkedHashMap<>();
        graph.held().tensors().forEach((name, held) -> {
            boolean kept = held.kind() == Graph.InputKind.PARAMETER
                    && Arrays.stream(ModelState.owner(name).split("\\.")).anyMatch(names::contains);
            tensors.put(name, kept ? held.of(DType.FLOAT32) : held);
        });
        return graph.withHeld(graph.held().withTensors(tensors));
    }
}
