package dev.headroom.model.adapter.peft;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.graph.Wrapping;
import dev.headroom.model.adapter.peft.layer.Targets;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelPackage;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Modules that are trained whole: copies beside the frozen originals, that run in their place (peft, utils/other.py,
 * ModulesToSaveWrapper).
 */
final class SavedModules {
    static final String WRAPPER = "peft.utils.other.ModulesToSaveWrapper";
    static final String COPY = "modules_to_save.default";
    private static final String ORIGINAL = "original_module";

    /** Heads that peft adds for classifiers by itself (peft_model.py, PeftModelForSequenceClassification). */
    private static final List<String> HEADS = List.of("classifier", "score");

    /** The same for models that find answers (PeftModelForQuestionAnswering). */
    private static final List<String> ANSWERS = List.of("qa_outputs");

    private static final Map<String, List<String>> OF_CLASSES = Map.of(
            "ForSequenceClassification", HEADS, "ForTokenClassification", HEADS, "ForQuestionAnswering", ANSWERS);

    /** Classes whose heads are copied once all else is done. */
    private static final Set<String> LATE = Set.of("ForTokenClassification", "ForQuestionAnswering");

    private final Set<String> paths;

    private SavedModules(Set<String> paths) {
        this.paths = paths;
    }

    /** Those that are asked for; of nested ones the outermost. */
    static SavedModules of(AdapterOptions options, Graph graph) {
        List<String> modules = graph.held().modules();
        Set<String> paths = new LinkedHashSet<>();
        for (String name : options.modulesToSave()) {
            Targets.requireSome("`modules_to_save`", "module", name, modules, path -> path.endsWith(name));
        }
        List<String> names = new ArrayList<>(options.modulesToSave());
        OF_CLASSES.forEach((end, heads) -> names.addAll(type(graph).endsWith(end) ? heads : List.of()));
        for (String module : modules) {
            boolean inside = paths.stream().anyMatch(p -> module.startsWith(p + "."));
            if (!inside && names.stream().anyMatch(module::endsWith)) {
                paths.add(module);
            }
        }
        return new SavedModules(paths);
    }

    /** The model's class; "" where it is not known. */
    private static String type(Graph graph) {
        return graph.nodes().stream()
                .findFirst()
                .filter(n -> !n.moduleStack().isEmpty())
                .map(n -> n.moduleStack().get(0).type())
                .orElse("");
    }

    /**
     * Whether a head is copied once all else is done (peft_model.py, PeftModelForTokenClassification and
     * PeftModelForQuestionAnswering).
     */
    static boolean isLate(String path, AdapterOptions options, Graph graph) {
        return LATE.stream().anyMatch(type(graph)::endsWith)
                && options.modulesToSave().stream().noneMatch(path::endsWith);
    }

    /**
     * Refuses heads that peft cannot copy: those that its own adapters are around already, as they come first, and
     * those whose weight is quantised, which cannot require a gradient.
     *
     * @param targeted whether a module gets an adapter
     */
    void require(Graph graph, AdapterOptions options, Predicate<String> targeted) {
        for (String path : paths) {
            if (isLate(path, options, graph) && targeted.test(path)) {
                throw new UserInputException("`targets`: '" + path + "' is the model's head, which peft trains whole"
                        + " and so cannot adapt as well; name other modules");
            }
            HeldTensor weight = graph.held().tensors().get(path + ".weight");
            if (weight != null && !weight.meta().dtype().isFloatingPoint()) {
                throw new UserInputException("`quant`: '" + path + "' is quantised and so cannot be trained whole, as"
                        + " peft would; choose another `task`, or no `quant`");
            }
        }
    }

    boolean contains(String path) {
        return paths.contains(path);
    }

    /** Whether a module is one of them or lies in one: it gets no adapter. */
    boolean around(String path) {
        return paths.stream().anyMatch(p -> path.equals(p) || path.startsWith(p + "."));
    }

    /**
     * The layer around one.
     *
     * @param added gets the copies
     * @param late whether it comes after the adapters' conversions
     */
    static Wrapping wrapping(
            String path, Graph graph, @Nullable DType model, Map<String, HeldTensor> added, boolean late) {
        List<String> modules = new ArrayList<>(List.of("modules_to_save"));
        for (String m : graph.held().modules()) {
            if (m.equals(path) || m.startsWith(path + ".")) {
                modules.add(COPY + m.substring(path.length()));
            }
        }
        List<Addition> made = new ArrayList<>();
        graph.held().tensors().forEach((name, held) -> {
            if (!name.startsWith(path + ".") || held.kind() == Graph.InputKind.CONSTANT) {
                return;
            }
            String copy = copied(path, name);
            DType type = held.type(model);
            TensorMeta m = held.meta();
            boolean parameter = held.kind() == Graph.InputKind.PARAMETER;
            TensorMeta meta = new TensorMeta(m.dtype(), m.sizes(), m.strides(), m.storageOffset(), parameter);
            added.put(
                    copy,
                    new HeldTensor(held.kind(), meta, held.persistent(), Wrapping.value(copy), copy)
                            .of(type)
                            .later());
            made.add(new Addition(
                    Addition.Kind.COPY, copy, type, List.of(path + "." + ORIGINAL + name.substring(path.length()))));
        });
        return new Wrapping(path, ORIGINAL, modules, List.of(), made, late);
    }

    private static String copied(String path, String name) {
        return path + "." + COPY + name.substring(path.length());
    }

    /** Values of the copies by those of the originals. */
    static Map<String, String> instead(String path, Graph graph) {
        Map<String, String> byStorage = new HashMap<>();
        graph.held().tensors().forEach((name, held) -> {
            if (name.startsWith(path + ".")) {
                byStorage.put(held.storage(), Wrapping.value(copied(path, name)));
            }
        });
        Map<String, String> out = new HashMap<>();
        graph.held().tensors().values().forEach(held -> {
            String copy = byStorage.get(held.storage());
            if (copy != null && held.value() != null) {
                out.put(held.value(), copy);
            }
        });
        return out;
    }

    /**
     * The modules that LN tuning trains, as copies in the place of the originals and in their type (peft 0.21,
     * tuners/ln_tuning, utils/constants.py).
     */
    static final class Norms {
        private static final List<String> LLAMA = List.of("input_layernorm", "post_attention_layernorm", "norm");
        private static final List<String> GEMMA = List.of(
                "input_layernorm",
                "post_attention_layernorm",
                "pre_feedforward_layernorm",
                "post_feedforward_layernorm",
                "norm");
        private static final List<String> T5 = List.of("layer_norm", "final_layer_norm");

        /** By the packages of the models' classes. */
        private static final Map<String, List<String>> OF_MODELS = Map.ofEntries(
                Map.entry("llama", LLAMA),
                Map.entry("mistral", LLAMA),
                Map.entry("gemma", LLAMA),
                Map.entry("gemma2", GEMMA),
                Map.entry("gemma3", GEMMA),
                Map.entry("qwen2", List.of("post_attention_layernorm")),
                Map.entry("qwen3", List.of("post_attention_layernorm")),
                Map.entry("bloom", List.of("input_layernorm", "post_attention_layernorm", "ln_f")),
                Map.entry("falcon", List.of("input_layernorm", "post_attention_layernorm", "ln_f")),
                Map.entry("gpt2", List.of("ln_1", "ln_2", "ln_f")),
                Map.entry("gptj", List.of("ln_1", "ln_f")),
                Map.entry("phi", List.of("input_layernorm", "final_layernorm")),
                Map.entry("t5", T5),
                Map.entry("mt5", T5));

        private Norms() {}

        /** Paths of a model's modules that are copied. */
        static List<String> of(Graph graph, AdapterOptions options) {
            List<String> names = options.targets().isEmpty() ? usual(graph) : options.targets();
            List<String> modules = graph.held().modules();
            for (String name : names) {
                if (!options.targets().isEmpty()) {
                    Targets.requireSome("`targets`", "module", name, modules, path -> Targets.ends(path, name));
                }
            }
            return modules.stream()
                    .filter(path -> names.stream().anyMatch(name -> Targets.ends(path, name)))
                    .toList();
        }

        private static List<String> usual(Graph graph) {
            return ModelPackage.of(graph)
                    .flatMap(name -> Optional.ofNullable(OF_MODELS.get(name)))
                    .orElseThrow(
                            () -> new UserInputException("`adapter=ln-tuning`: peft does not know the norms of this"
                                    + " model; name them with `targets`"));
        }
    }
}
