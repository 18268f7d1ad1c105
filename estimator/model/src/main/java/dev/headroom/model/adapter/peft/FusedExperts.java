package dev.headroom.model.adapter.peft;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.layer.Targets;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Targets that were modules in transformers 4 and are parameters in 5, as the layers of experts are: peft takes the
 * parameters instead, and twice the rank for one that is two of the targets (peft, utils/transformers_weight_conversion
 * .py, _convert_peft_config_moe).
 *
 * @param options with the targets as peft has them
 * @param doubled names of parameters whose adapters have twice the rank
 */
record FusedExperts(AdapterOptions options, Set<String> doubled) {
    private static final Pattern MODEL = Pattern.compile("transformers\\.models\\.(\\w+)\\.");

    /** transformers, conversion_mapping.py, _MODEL_TO_CONVERSION_PATTERN: model types by whose layout is theirs. */
    private static final Set<String> LIKE_MIXTRAL = Set.of("mixtral", "minimax", "minimax_m2");

    private static final Set<String> LIKE_QWEN = Set.of(
            "afmoe",
            "cohere2_moe",
            "deepseek_v2",
            "deepseek_v3",
            "deepseek_v32",
            "dots1",
            "ernie4_5_moe",
            "exaone_moe",
            "flex_olmo",
            "glm4_moe",
            "glm4_moe_lite",
            "glm4v_moe",
            "glm_moe_dsa",
            "hunyuan_v1_moe",
            "longcat_flash",
            "mellum",
            "olmoe",
            "qwen3_moe",
            "qwen3_next",
            "qwen3_omni_moe",
            "qwen3_omni_moe_thinker",
            "solar_open");

    private static final String FUSED = "gate_up_proj";

    /**
     * The targets of a model.
     *
     * @param linear last parts of the paths of the layers that {@code all-linear} means
     */
    static FusedExperts of(Graph graph, AdapterOptions options, Supplier<Set<String>> linear) {
        Map<String, String> parameters = parameters(graph);
        if (parameters.isEmpty() || options.targets().isEmpty()) {
            return new FusedExperts(options, Set.of());
        }
        List<String> rest = new ArrayList<>();
        Set<String> wanted = new LinkedHashSet<>(options.targetParameters());
        Set<String> fused = new LinkedHashSet<>();
        for (String target : resolved(graph, options, parameters, linear)) {
            String module = parameters.keySet().stream()
                    .filter(m -> Targets.ends(target, m))
                    .findFirst()
                    .orElse("");
            String parameter = parameters.getOrDefault(module, "");
            if (parameter.isEmpty()) {
                rest.add(target);
            } else {
                wanted.add(parameter);
                fused.addAll(parameter.equals(FUSED) ? Set.of(module) : Set.of());
            }
        }
        if (fused.size() == 1) {
            List<String> both = parameters.keySet().stream()
                    .filter(m -> FUSED.equals(parameters.get(m)))
                    .toList();
            throw new UserInputException("`targets`: experts hold " + String.join(" and ", both)
                    + " in one parameter; name both or neither");
        }
        return new FusedExperts(
                options.withTargets(rest).withTargetParameters(List.copyOf(wanted)),
                fused.isEmpty() ? Set.of() : Set.of(FUSED));
    }

    /** The parameters by the modules that they were; empty for models without experts of this kind. */
    private static Map<String, String> parameters(Graph graph) {
        boolean stacked = graph.held().tensors().keySet().stream().anyMatch(name -> Targets.ends(name, FUSED));
        String type = graph.nodes().stream()
                .flatMap(n -> n.moduleStack().stream())
                .map(c -> MODEL.matcher(c.type()))
                .filter(Matcher::lookingAt)
                .map(m -> m.group(1))
                .findFirst()
                .orElse("");
        Map<String, String> out = new LinkedHashMap<>();
        if (stacked && LIKE_MIXTRAL.contains(type)) {
            out.put("gate", "gate.weight");
            out.put("w1", FUSED);
            out.put("w3", FUSED);
            out.put("w2", "down_proj");
        } else if (stacked && LIKE_QWEN.contains(type)) {
            out.put("gate", "gate.weight");
            out.put("gate_proj", FUSED);
            out.put("up_proj", FUSED);
            out.put("down_proj", "down_proj");
        }
        return out;
    }

    /** A pattern and {@code all-linear} as the names that they stand for. */
    private static Set<String> resolved(
            Graph graph, AdapterOptions options, Map<String, String> parameters, Supplier<Set<String>> linear) {
        Targets targets = Targets.named(options.targets());
        Set<String> out = new LinkedHashSet<>();
        if (targets.allLinear()) {
            out.addAll(linear.get());
            out.addAll(parameters.keySet());
        } else if (targets.isPattern()) {
            graph.held().modules().stream().filter(targets::matches).forEach(m -> out.add(last(m)));
            for (String name : graph.held().tensors().keySet()) {
                if (targets.matches(name)) {
                    out.add(last(name));
                }
                parameters.forEach((module, parameter) -> {
                    if (last(name).equals(parameter) && targets.matches(ModelState.owner(name) + "." + module)) {
                        out.add(module);
                    }
                });
            }
        } else {
            out.addAll(options.targets());
        }
        return out;
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('.') + 1);
    }
}
