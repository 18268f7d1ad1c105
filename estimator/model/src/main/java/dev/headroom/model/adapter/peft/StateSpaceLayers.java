package dev.headroom.model.adapter.peft;

import dev.headroom.model.adapter.AdapterMethod;
import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelPackage;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Layers of models of state spaces that cannot be adapted: those that peft refuses for LoRA (peft 0.21,
 * tuners_utils.py, _check_lora_target_modules_mamba), and one whose weight is read while it is not called.
 */
final class StateSpaceLayers {
    private static final Set<String> MODELS = Set.of("mamba", "mamba2", "falcon_mamba");
    private static final Set<String> REFUSED = Set.of("out_proj", "conv1d");
    private static final String UNCALLED = "dt_proj";

    private StateSpaceLayers() {}

    /** @param chosen whether a path is one of a layer that is asked for */
    static void require(Graph graph, AdapterOptions options, Predicate<String> chosen) {
        if (ModelPackage.of(graph).filter(MODELS::contains).isEmpty()) {
            return;
        }
        boolean refuses = options.lora() != null || options.method() == AdapterMethod.ADALORA;
        for (String path : graph.held().modules()) {
            String name = path.substring(path.lastIndexOf('.') + 1);
            if (refuses && REFUSED.contains(name) && chosen.test(path)) {
                throw refused(name, "is refused by peft");
            }
            if (name.equals(UNCALLED) && chosen.test(path) && !isCalled(graph, path)) {
                throw refused(name, "is read and never called, so that no adapter of it runs");
            }
        }
    }

    private static boolean isCalled(Graph graph, String path) {
        return graph.nodes().stream().anyMatch(n -> n.module().equals(path));
    }

    private static UserInputException refused(String name, String why) {
        return new UserInputException(
                "`targets`: " + name + " of models of state spaces " + why + "; name others, such as in_proj");
    }
}
