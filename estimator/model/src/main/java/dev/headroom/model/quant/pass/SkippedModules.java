package dev.headroom.model.quant.pass;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Modules that transformers never quantises: those with tied weights, the last one with parameters, the head, and
 * those that their model's class keeps whole (transformers/quantizers/base.py, get_keys_to_not_convert;
 * quantizers_utils.py, should_convert_module).
 */
final class SkippedModules {
    private static final String WEIGHT = ".weight";
    private static final String HEAD = "lm_head";

    private final List<String> keys = new ArrayList<>();
    private final List<Pattern> patterns;

    SkippedModules(Graph graph) {
        ModelState state = graph.held();
        Set<String> names = new LinkedHashSet<>(tied(state));
        names.addAll(KeptWhole.of(graph));
        String last = "";
        for (Map.Entry<String, ModelState.HeldTensor> e : state.tensors().entrySet()) {
            boolean first = e.getValue().storage().equals(e.getKey());
            last = e.getValue().kind() == Graph.InputKind.PARAMETER && first ? e.getKey() : last;
        }
        names.add(last);
        if (state.modules().contains(HEAD)) {
            names.add(HEAD);
        }
        names.forEach(
                name -> keys.add(name.endsWith(WEIGHT) ? name.substring(0, name.length() - WEIGHT.length()) : name));
        patterns = keys.stream().map(Pattern::compile).toList();
    }

    private static List<String> tied(ModelState state) {
        Map<String, List<String>> byStorage = new HashMap<>();
        state.tensors().forEach((name, held) -> {
            if (held.kind() == Graph.InputKind.PARAMETER) {
                byStorage
                        .computeIfAbsent(held.storage(), k -> new ArrayList<>())
                        .add(name);
            }
        });
        return byStorage.values().stream()
                .filter(names -> names.size() > 1)
                .flatMap(List::stream)
                .toList();
    }

    boolean has(String module) {
        return keys.stream().anyMatch(module::endsWith)
                || patterns.stream().anyMatch(p -> p.matcher(module).lookingAt());
    }
}
