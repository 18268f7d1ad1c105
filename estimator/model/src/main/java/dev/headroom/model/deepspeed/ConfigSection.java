package dev.headroom.model.deepspeed;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.model.error.UserInputException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A section of the JSON that remembers which of its keys were asked for. */
final class ConfigSection {
    private static final String AUTO = "auto";
    /** More than any memory holds, and little enough to count its bytes. */
    private static final BigInteger MOST = BigInteger.valueOf(1L << 50);

    private final String path;
    private final JsonNode node;
    private final List<ConfigSection> inner = new ArrayList<>();
    private final Set<String> read = new LinkedHashSet<>();
    private final Set<String> undecided = new LinkedHashSet<>();
    private final List<String> unmodelled = new ArrayList<>();

    /**
     * The section at a path.
     *
     * @param path of its keys, such as {@code zero_optimization.}; "" for the whole
     */
    ConfigSection(String path, JsonNode node) {
        this.path = path;
        this.node = node;
        if (!node.isObject() && !node.isMissingNode()) {
            throw wrong(path, node, "an object");
        }
    }

    private static UserInputException wrong(String key, JsonNode value, String wanted) {
        String name = key.endsWith(".") ? key.substring(0, key.length() - 1) : key;
        return new UserInputException("`ds_config`: " + (name.isEmpty() ? "the file" : name) + " is " + value + ", not "
                + wanted + "; see DeepSpeed's configuration");
    }

    /** A value; missing where there is none, or where something else is to decide it. */
    private JsonNode value(String... names) {
        JsonNode found = node.path("");
        for (String name : names) {
            read.add(name);
            JsonNode here = node.path(name);
            if (here.isTextual() && here.asText().equals(AUTO)) {
                undecided.add(path + name);
            } else if (!here.isMissingNode() && !here.isNull()) {
                found = here;
            }
        }
        return found;
    }

    boolean has(String name) {
        return !value(name).isMissingNode();
    }

    /** Keys of what is not modelled: they are named where they are switched on. */
    void refuse(String... names) {
        for (String name : names) {
            JsonNode v = node.path(name);
            read.add(name);
            boolean off = v.isMissingNode()
                    || v.isNull()
                    || v.isBoolean() && !v.booleanValue()
                    || v.isContainerNode() && !v.path("enabled").asBoolean(!v.isEmpty());
            if (!off) {
                unmodelled.add(path + name);
            }
        }
    }

    /** Keys that are known to change no memory of a GPU. */
    void ignore(String... names) {
        read.addAll(List.of(names));
    }

    /**
     * A number of things, which may be written as 5e8.
     *
     * @param names of one key, an alias first
     */
    long count(long usual, String... names) {
        JsonNode v = value(names);
        if (v.isMissingNode()) {
            return usual;
        }
        if (!v.isNumber() || v.doubleValue() < 0) {
            throw wrong(path + names[0], v, "a number of at least 0");
        }
        return v.isIntegralNumber()
                ? v.bigIntegerValue().min(MOST).longValueExact()
                : (long) Math.min(v.doubleValue(), MOST.doubleValue());
    }

    Optional<Double> number(String name) {
        JsonNode v = value(name);
        if (!v.isMissingNode() && !v.isNumber()) {
            throw wrong(path + name, v, "a number");
        }
        return v.isMissingNode() ? Optional.empty() : Optional.of(v.doubleValue());
    }

    Optional<Boolean> flag(String name) {
        JsonNode v = value(name);
        if (!v.isMissingNode() && !v.isBoolean()) {
            throw wrong(path + name, v, "true or false");
        }
        return v.isMissingNode() ? Optional.empty() : Optional.of(v.booleanValue());
    }

    boolean flag(String name, boolean usual) {
        return flag(name).orElse(usual);
    }

    Optional<String> text(String name) {
        JsonNode v = value(name);
        if (!v.isMissingNode() && !v.isTextual()) {
            throw wrong(path + name, v, "a text");
        }
        return v.isMissingNode() ? Optional.empty() : Optional.of(v.textValue());
    }

    /** A section inside; an empty one where there is none. */
    ConfigSection section(String name) {
        JsonNode v = value(name);
        ConfigSection made = new ConfigSection(path + name + ".", v);
        inner.add(made);
        return made;
    }

    /** Keys here and inside that nobody asked for, with their paths. */
    List<String> unread() {
        List<String> out = new ArrayList<>();
        node.fieldNames().forEachRemaining(name -> {
            if (!read.contains(name)) {
                out.add(path + name);
            }
        });
        inner.forEach(s -> out.addAll(s.unread()));
        return out;
    }

    /** Keys here and inside of what is not modelled and switched on. */
    List<String> unmodelled() {
        List<String> out = new ArrayList<>(unmodelled);
        inner.forEach(s -> out.addAll(s.unmodelled()));
        return out;
    }

    /** Keys here and inside that say {@code "auto"}. */
    List<String> undecided() {
        List<String> out = new ArrayList<>(undecided);
        inner.forEach(s -> out.addAll(s.undecided()));
        return out;
    }
}
