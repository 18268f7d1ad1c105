package dev.headroom.executor.op.registry;

import dev.headroom.executor.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A registry of operators, by name without overload, such as {@code aten.conv2d}. */
public final class Operators {
    private static final List<String> ALL = List.of("host", "cuda");

    private final Map<String, Operator> byName = new HashMap<>();
    private final Map<String, List<String>> computedOn = new HashMap<>();

    /** The operator of a name, or {@code null}. */
    public @Nullable Operator find(String name) {
        return byName.get(name);
    }

    /**
     * The backends that compute an operator, such as {@code host}; its memory is measured without any.
     *
     * @return none for an operator that is not there
     */
    public List<String> backends(String name) {
        return byName.containsKey(name) ? computedOn.getOrDefault(name, ALL) : List.of();
    }

    /** Says that an operator is computed on some backends alone. */
    public void limit(String name, String... backends) {
        computedOn.put(name, List.of(backends));
    }

    /** All names, sorted. */
    public Set<String> names() {
        return new TreeSet<>(byName.keySet());
    }

    /**
     * Adds an operator.
     *
     * @throws IllegalStateException when the name is taken
     */
    public void add(String name, Operator operator) {
        if (byName.put(name, operator) != null) {
            throw new IllegalStateException(name + " is registered twice");
        }
    }

    /** Adds an operator of one result. */
    public void add1(String name, Operator.Single operator) {
        add(name, (e, a) -> new Tensor[] {operator.run(e, a)});
    }
}
