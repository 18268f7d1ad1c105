package dev.headroom.model.family.config;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.json.JsonTree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a {@code config.json}, by name. What a family needs and the file lacks is one line to the user.
 *
 * @param source names the file in messages
 */
public record ModelConfig(String source, Map<String, @Nullable Object> entries) {
    private static final long MOST = 1L << 40;

    /** What a model has in a row or beside each other; each takes time and memory here, unlike widths. */
    private static final Set<String> PARTS = Set.of(
            "num_hidden_layers",
            "num_layers",
            "num_decoder_layers",
            "encoder_layers",
            "decoder_layers",
            "n_layers",
            "num_experts",
            "num_local_experts",
            "n_routed_experts");

    /** The deepest published transformer has 1000 layers (DeepNet), the widest mixture 2048 experts (Switch). */
    private static final long MOST_PARTS = 4096;

    /** Whether an entry is there and not null. */
    public boolean has(String key) {
        return entries.get(key) != null;
    }

    /** Whether an entry is there, if as null. */
    public boolean names(String key) {
        return entries.containsKey(key);
    }

    private UserInputException bad(String key, String what) {
        return new UserInputException(source + ": \"" + key + "\" " + what);
    }

    /** A size that must be there: a whole number of at least 1. */
    public long size(String key) {
        if (!has(key)) {
            throw bad(key, "is missing; a model has no dimensions without it, add it or pass `set=" + key + "=N`");
        }
        return size(key, 0);
    }

    /** A size, or another one where it is missing. */
    public long size(String key, long otherwise) {
        Object value = entries.get(key);
        if (value == null) {
            return otherwise;
        }
        if (!(value instanceof Long n) || n < 1 || n > MOST) {
            throw bad(key, "is " + value + "; it must be a whole number of at least 1");
        }
        if (n > MOST_PARTS && PARTS.contains(key)) {
            throw bad(key, "is " + n + "; Headroom models at most " + MOST_PARTS);
        }
        return n;
    }

    /** A whole number that may be 0, or another one where it is missing. */
    public long count(String key, long otherwise) {
        Object value = entries.get(key);
        return value instanceof Long n && n == 0 ? 0 : size(key, otherwise);
    }

    /** A number, or another one where it is missing. */
    public double number(String key, double otherwise) {
        Object value = entries.get(key);
        if (value == null) {
            return otherwise;
        }
        if (!(value instanceof Number n)) {
            throw bad(key, "is " + value + "; it must be a number");
        }
        return n.doubleValue();
    }

    /** A truth, or another one where it is missing. */
    public boolean flag(String key, boolean otherwise) {
        Object value = entries.get(key);
        if (value == null) {
            return otherwise;
        }
        if (!(value instanceof Boolean b)) {
            throw bad(key, "is " + value + "; it must be true or false");
        }
        return b;
    }

    /** A text, or another one where it is missing. */
    public String text(String key, String otherwise) {
        Object value = entries.get(key);
        if (value == null) {
            return otherwise;
        }
        if (!(value instanceof String s)) {
            throw bad(key, "is " + value + "; it must be a text");
        }
        return s;
    }

    /** Texts in a list; empty where it is missing. */
    public List<String> texts(String key) {
        List<String> out = new ArrayList<>();
        if (entries.get(key) instanceof List<?> items) {
            items.forEach(item -> out.add(String.valueOf(item)));
        } else if (has(key)) {
            throw bad(key, "is " + entries.get(key) + "; it must be a list");
        }
        return out;
    }

    /** Entries within an entry; empty where it is missing. */
    public ModelConfig section(String key) {
        Map<String, @Nullable Object> inner = new LinkedHashMap<>();
        if (entries.get(key) instanceof Map<?, ?> members) {
            members.forEach((k, v) -> inner.put(String.valueOf(k), v));
        } else if (has(key)) {
            throw bad(key, "is " + entries.get(key) + "; it must be an object");
        }
        return new ModelConfig(source + ", " + key, inner);
    }

    /** The same with an entry replaced or added. */
    public ModelConfig with(String key, @Nullable Object value) {
        Map<String, @Nullable Object> changed = new LinkedHashMap<>(entries);
        changed.put(key, value);
        return new ModelConfig(source, changed);
    }

    /**
     * The same with sizes under other names as well.
     *
     * @param names the name that others know, by the family's own
     */
    public ModelConfig renamed(Map<String, String> names) {
        ModelConfig changed = this;
        for (Map.Entry<String, String> e : names.entrySet()) {
            if (changed.has(e.getKey())) {
                changed = changed.with(e.getValue(), changed.size(e.getKey()));
            }
        }
        return changed;
    }

    /**
     * The same with entries of the command line.
     *
     * @param given each {@code KEY=JSON}
     */
    public ModelConfig with(List<String> given) {
        ModelConfig changed = this;
        for (String entry : given) {
            int equals = entry.indexOf('=');
            if (equals < 1) {
                throw new UserInputException("`set=" + entry + "` is not of the form KEY=JSON");
            }
            String key = entry.substring(0, equals);
            changed = changed.with(key, JsonTree.value(entry.substring(equals + 1), "`set=" + key + "`"));
        }
        return changed;
    }

    /** The family's key, such as {@code llama}. */
    public String modelType() {
        return text("model_type", "");
    }

    /** The class that the file was made for, such as {@code LlamaForCausalLM}; "" where it does not say. */
    public String architecture() {
        List<String> all = texts("architectures");
        return all.isEmpty() ? "" : all.get(0);
    }

    /** The type of the published weights; float32 where the file does not say. */
    public DType dtype() {
        String name = text("dtype", text("torch_dtype", "float32"));
        return switch (name.startsWith("torch.") ? name.substring("torch.".length()) : name) {
            case "bfloat16" -> DType.BFLOAT16;
            case "float16", "half" -> DType.FLOAT16;
            case "float32", "float", "auto" -> DType.FLOAT32;
            case "float64", "double" -> DType.FLOAT64;
            default -> throw bad("dtype", "is " + name + "; pass `dtype=bf16`, fp16 or fp32");
        };
    }

    /**
     * Heads that divide evenly.
     *
     * @throws UserInputException naming both entries
     */
    public long divided(String whole, long size, String parts, long count) {
        if (size % count != 0) {
            throw new UserInputException(
                    source + ": " + whole + " " + size + " is not divisible by " + parts + " " + count);
        }
        return size / count;
    }
}
