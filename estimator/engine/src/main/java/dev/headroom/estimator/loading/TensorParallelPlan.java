package dev.headroom.estimator.loading;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModelState.HeldTensor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which parameters a model of transformers would share among ranks. In a process of several, its loader counts that
 * part of them alone, whether they are shared or not (transformers 5.17, modeling_utils.py, get_total_byte_count).
 */
final class TensorParallelPlan {
    private static final String TABLE = "tensor-parallel-plans.txt";
    private static final Pattern PACKAGE = Pattern.compile("transformers\\.models\\.(\\w+)\\..*");
    private static final Pattern IN_LAYER = Pattern.compile("(?:^|.*\\.)layers\\.\\d+\\.(.+)");

    private final ModelState state;
    private final Set<String> parts;

    private TensorParallelPlan(ModelState state, Set<String> parts) {
        this.state = state;
        this.parts = parts;
    }

    /** A model's plan; empty for models that have none. */
    static TensorParallelPlan of(Graph graph) {
        Set<String> parts = graph.nodes().stream()
                .flatMap(n -> n.moduleStack().stream())
                .map(call -> PACKAGE.matcher(call.type()))
                .filter(Matcher::matches)
                .map(m -> m.group(1))
                .findFirst()
                .map(TensorParallelPlan::parts)
                .orElse(Set.of());
        return new TensorParallelPlan(graph.held(), parts);
    }

    private static Set<String> parts(String family) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(TensorParallelPlan.class.getResourceAsStream(TABLE)), StandardCharsets.UTF_8))) {
            return lines.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" : "))
                    .filter(row -> List.of(row[0].split(" ")).contains(family))
                    .map(row -> Set.of(row[1].split(" ")))
                    .findFirst()
                    .orElse(Set.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether a parameter is a part of it. */
    boolean has(String name, HeldTensor held) {
        if (parts.isEmpty() || held.kind() != Graph.InputKind.PARAMETER) {
            return false;
        }
        String before = name.replace(".base_layer", ""); // adapters come after the load
        String module = ModelState.owner(before);
        if (module.equals("lm_head")) {
            return true;
        }
        if (module.endsWith("embed_tokens")) {
            return tied().contains(name);
        }
        Matcher layer = IN_LAYER.matcher(before);
        return layer.matches() && (parts.contains(layer.group(1)) || parts.contains(ModelState.owner(layer.group(1))));
    }

    /** Names of parameters that others share. */
    private Set<String> tied() {
        Set<String> out = new HashSet<>();
        state.tensors().forEach((name, held) -> {
            if (!held.storage().equals(name)) {
                out.add(held.storage());
            }
        });
        return out;
    }
}
