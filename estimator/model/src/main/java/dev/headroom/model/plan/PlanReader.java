package dev.headroom.model.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads plans of tensor parallelism: a JSON object from patterns to styles, in their order. A style is its class name,
 * with or without arguments, as in
 *
 * <pre>
 * {"layers.*": {"attention.wq": "ColwiseParallel",
 *               "attention.wo": {"style": "RowwiseParallel", "output_layouts": "Shard(1)"}}}
 * </pre>
 */
public final class PlanReader {
    private static final Map<String, ModuleStyle.Kind> STYLES = Map.of(
            "ColwiseParallel", ModuleStyle.Kind.COLWISE,
            "RowwiseParallel", ModuleStyle.Kind.ROWWISE,
            "SequenceParallel", ModuleStyle.Kind.SEQUENCE,
            "PrepareModuleInput", ModuleStyle.Kind.PREPARE,
            "PrepareModuleOutput", ModuleStyle.Kind.PREPARE,
            "PrepareModuleInputOutput", ModuleStyle.Kind.PREPARE);

    private static final Set<String> ARGUMENTS = Set.of(
            "style",
            "input_layouts",
            "desired_input_layouts",
            "output_layouts",
            "desired_output_layouts",
            "use_local_input",
            "use_local_output",
            "sequence_dim");

    /** Stands for what a loss reads: whole logits, or with {@code loss_parallel} divided ones. */
    private static final String LOGITS = "logits";

    private final boolean lossParallel;

    PlanReader(boolean lossParallel) {
        this.lossParallel = lossParallel;
    }

    /**
     * Reads a user's file.
     *
     * @throws UserInputException for a file that cannot be read, and for what is no plan
     */
    public static TensorPlan read(Path file) {
        try {
            TensorPlan plan = new PlanReader(false).plan(new ObjectMapper().readTree(Files.readString(file)));
            return new TensorPlan(file.toString(), plan.entries());
        } catch (JsonProcessingException e) {
            throw new UserInputException(file + " is no JSON: " + e.getOriginalMessage(), e);
        } catch (NoSuchFileException e) {
            throw new UserInputException("there is no file " + file, e);
        } catch (IOException e) {
            throw new UserInputException("cannot read the plan " + file + ": " + e.getMessage(), e);
        } catch (UserInputException e) {
            throw new UserInputException(file + ": " + e.getMessage(), e);
        }
    }

    TensorPlan plan(JsonNode json) {
        if (!json.isObject()) {
            throw new UserInputException("a plan is a JSON object from patterns of modules to styles");
        }
        List<TensorPlan.Entry> entries = new ArrayList<>();
        json.properties().forEach(e -> entries.add(entry(e.getKey(), e.getValue())));
        return new TensorPlan("", entries);
    }

    private TensorPlan.Entry entry(String pattern, JsonNode json) {
        if (json.isObject() && !json.has("style")) {
            return new TensorPlan.Entry(pattern, null, plan(json));
        }
        if (pattern.equals(TensorPlan.ANYWHERE)) {
            throw new UserInputException("'**' takes an object from the last names of modules to styles");
        }
        return new TensorPlan.Entry(pattern, style(pattern, json), null);
    }

    private ModuleStyle style(String pattern, JsonNode json) {
        String name = json.isTextual() ? json.asText() : json.path("style").asText();
        ModuleStyle.Kind kind = STYLES.get(name);
        if (kind == null) {
            throw new UserInputException("'" + pattern + "': '" + name + "' is no style; it takes "
                    + String.join(", ", STYLES.keySet().stream().sorted().toList()));
        }
        json.fieldNames().forEachRemaining(key -> {
            if (!ARGUMENTS.contains(key)) {
                throw new UserInputException("'" + pattern + "': " + name + " has no argument '" + key + "'; it takes "
                        + String.join(", ", ARGUMENTS.stream().sorted().toList()));
            }
        });
        boolean logits = json.path("output_layouts").asText().equals(LOGITS);
        boolean local = json.path("use_local_output").asBoolean(logits ? !lossParallel : defaultLocal(kind, name));
        return switch (kind) {
            case COLWISE -> shared(json, kind, Placement.REPLICATE, Placement.shard(-1), local);
            case ROWWISE -> shared(json, kind, Placement.shard(-1), Placement.REPLICATE, local);
            case SEQUENCE -> {
                List<Placement> sequence =
                        List.of(Placement.shard(json.path("sequence_dim").asInt(1)));
                yield new ModuleStyle(kind, sequence, sequence, sequence, sequence, false, local);
            }
            case PREPARE -> prepare(json, name, local);
        };
    }

    /** PrepareModuleInput's {@code use_local_output} is about what it makes: the module's input. */
    private static boolean defaultLocal(ModuleStyle.Kind kind, String name) {
        return kind != ModuleStyle.Kind.SEQUENCE && !name.equals("PrepareModuleInput");
    }

    private ModuleStyle shared(JsonNode json, ModuleStyle.Kind kind, Placement input, Placement output, boolean local) {
        for (String key : List.of("input_layouts", "output_layouts")) {
            JsonNode value = json.path(key);
            if (value.isArray() && (value.isEmpty() || value.path(0).isNull())) {
                throw new UserInputException("'" + key + "' of ColwiseParallel and RowwiseParallel is one"
                        + " layout, such as Replicate() or Shard(1)");
            }
        }
        return new ModuleStyle(
                kind,
                layouts(json, "input_layouts", List.of(input)),
                List.of(),
                List.of(),
                layouts(json, "output_layouts", List.of(output)),
                false,
                local);
    }

    private ModuleStyle prepare(JsonNode json, String name, boolean local) {
        boolean inputOnly = name.equals("PrepareModuleInput");
        return new ModuleStyle(
                ModuleStyle.Kind.PREPARE,
                layouts(json, "input_layouts", List.of()),
                layouts(json, "desired_input_layouts", List.of()),
                layouts(json, "output_layouts", List.of()),
                layouts(json, "desired_output_layouts", List.of()),
                inputOnly ? local : json.path("use_local_input").asBoolean(false),
                inputOnly || local);
    }

    private List<Placement> layouts(JsonNode json, String key, List<Placement> otherwise) {
        JsonNode value = json.path(key);
        if (value.isMissingNode() || value.isNull()) {
            return otherwise;
        }
        List<Placement> out = new ArrayList<>();
        if (value.isArray()) {
            value.forEach(v -> out.add(v.isNull() ? null : layout(v.asText())));
        } else {
            out.add(layout(value.asText()));
        }
        return out;
    }

    private Placement layout(String text) {
        if (text.equals(LOGITS)) {
            return lossParallel ? Placement.shard(-1) : Placement.REPLICATE;
        }
        return Placement.parse(text);
    }
}
