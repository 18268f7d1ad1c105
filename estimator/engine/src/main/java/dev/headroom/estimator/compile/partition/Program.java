package dev.headroom.estimator.compile.partition;

import dev.headroom.estimator.compile.trace.Joint;
import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A joint graph with what it returns.
 *
 * @param nodes in order, placeholders among them
 * @param results of forward
 * @param gradients of the arguments, {@code null} for none
 */
public record Program(List<Value> nodes, List<Value> results, List<@Nullable Value> gradients) {

    /** The same without what nothing needs, equal calls made once (torch/_functorch/compile_utils.py, fx_graph_cse). */
    public Program simplified() {
        Set<Value> backward = needed(gradients.stream().filter(Objects::nonNull).toList(), Set.of());
        Set<Value> alive = needed(results, Set.of());
        alive.addAll(backward);
        Joint joint = new Joint();
        Map<Value, Value> same = new HashMap<>();
        Map<List<Object>, Value> known = new HashMap<>();
        for (Value v : nodes) {
            if (!alive.contains(v) && !v.isPlaceholder()) {
                continue;
            }
            List<Value> arguments = v.arguments().stream()
                    .map(a -> Objects.requireNonNull(same.get(a)))
                    .toList();
            List<Object> key = List.of(
                    v.op(),
                    v.key(),
                    arguments,
                    v.dtype(),
                    Arrays.toString(v.sizes()),
                    Arrays.toString(v.strides()),
                    backward.contains(v));
            joint.inRegion(v.region());
            Value equal = v.kind() == Kind.RANDOM || v.isPlaceholder() ? null : known.get(key);
            if (equal == null) {
                equal = v.kind() == Kind.ITEM
                        ? joint.item(arguments.get(0), v.dtype(), v.sizes(), v.strides())
                        : joint.node(v.kind(), v.op(), v.key(), v.dtype(), v.sizes(), v.strides(), arguments);
                known.put(key, equal);
            }
            same.put(v, equal);
        }
        List<@Nullable Value> derived = new ArrayList<>();
        gradients.forEach(g -> derived.add(g == null ? null : same.get(g)));
        return new Program(
                joint.nodes(),
                results.stream().map(r -> Objects.requireNonNull(same.get(r))).toList(),
                derived);
    }

    /** All that something is computed from, not beyond what is given. */
    static Set<Value> needed(Collection<Value> of, Set<Value> given) {
        Set<Value> out = new LinkedHashSet<>();
        List<Value> open = new ArrayList<>(of);
        while (!open.isEmpty()) {
            Value v = open.remove(open.size() - 1);
            if (out.add(v) && !given.contains(v)) {
                open.addAll(v.arguments());
            }
        }
        return out;
    }

    /** Who reads each node, in order and once. */
    Map<Value, List<Value>> users() {
        Map<Value, List<Value>> out = new HashMap<>();
        nodes.forEach(v -> out.put(v, new ArrayList<>()));
        for (Value v : nodes) {
            new LinkedHashSet<>(v.arguments())
                    .forEach(a -> Objects.requireNonNull(out.get(a)).add(v));
        }
        return out;
    }

    /** Nodes that depend on a tangent. */
    Set<Value> afterTangents() {
        Set<Value> out = new HashSet<>();
        for (Value v : nodes) {
            if (v.kind() == Kind.TANGENT || v.arguments().stream().anyMatch(out::contains)) {
                out.add(v);
            }
        }
        return out;
    }
}
