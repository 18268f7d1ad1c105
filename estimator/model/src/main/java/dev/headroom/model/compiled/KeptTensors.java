package dev.headroom.model.compiled;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the calls of compiled graphs keep for backward, besides their arguments and what they return. Bytes are those of
 * the tensors, each storage counted once.
 *
 * @param tensors how many
 * @param bytes of all of them
 * @param layouts of copies of arguments in other strides, as channels-last ones of images and weights
 * @param casts of arguments in fewer bits, as autocast makes them
 * @param masks of truth values, one byte an element
 */
public record KeptTensors(int tensors, long bytes, long layouts, long casts, long masks) {
    /** Nothing at all. */
    public static final KeptTensors NONE = new KeptTensors(0, 0, 0, 0, 0);

    /** One tensor that the code made; variables that name it share it. */
    private record Made(TensorMeta meta) {
        long bytes() {
            return Shapes.numel(sizes()) * meta.dtype().bytes();
        }

        long[] sizes() {
            return meta.sizes().stream().mapToLong(s -> s.evaluate(Map.of())).toArray();
        }
    }

    /** Of one call. */
    public static KeptTensors of(CompiledGraph graph) {
        if (graph.backward() == null) {
            return NONE;
        }
        CompiledCode code = graph.forward();
        Map<String, Made> variables = variables(code);
        Statement.Return returned =
                (Statement.Return) code.statements().get(code.statements().size() - 1);
        List<@Nullable String> names = returned.names();
        int results = Math.min(graph.results().size(), names.size());
        Set<Made> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        names.subList(0, results).stream()
                .map(variables::get)
                .filter(made -> made != null)
                .forEach(seen::add);
        KeptTensors out = NONE;
        for (String name : names.subList(results, names.size())) {
            Made made = name == null ? null : variables.get(name);
            if (made != null && seen.add(made)) {
                out = out.plus(kept(made, code));
            }
        }
        return out;
    }

    private static KeptTensors kept(Made made, CompiledCode code) {
        long bytes = made.bytes();
        boolean mask = made.meta.dtype() == DType.BOOL;
        boolean several = made.meta.sizes().size() > 1 && !mask;
        boolean layout = several && code.inputs().values().stream().anyMatch(i -> moved(i, made));
        boolean cast = several && code.inputs().values().stream().anyMatch(i -> narrowed(i, made));
        return new KeptTensors(1, bytes, layout ? bytes : 0, cast ? bytes : 0, mask ? bytes : 0);
    }

    private static boolean moved(TensorMeta input, Made made) {
        return input.dtype() == made.meta.dtype()
                && input.sizes().equals(made.meta.sizes())
                && !input.strides().equals(made.meta.strides());
    }

    private static boolean narrowed(TensorMeta input, Made made) {
        return input.dtype() == DType.FLOAT32
                && made.meta.dtype().isReducedFloat()
                && sorted(new Made(input).sizes()).equals(sorted(made.sizes()));
    }

    private static List<Long> sorted(long[] sizes) {
        List<Long> out = new ArrayList<>();
        for (long size : sizes) {
            out.add(size);
        }
        Collections.sort(out);
        return out;
    }

    /** What each variable names when the code returns; arguments are the caller's and left out. */
    private static Map<String, Made> variables(CompiledCode code) {
        Map<String, Made> out = new HashMap<>();
        for (Statement s : code.statements()) {
            if (s instanceof Statement.Allocate a && !a.onHost()) {
                out.put(a.name(), new Made(a.shape()));
            } else if (s instanceof Statement.Alias a) {
                Made of = out.get(a.of());
                if (of != null) {
                    out.put(a.name(), of);
                }
            } else if (s instanceof Statement.Call c) {
                put(out, c.name(), code.buffers().get(c.name()));
            } else if (s instanceof Statement.Item i) {
                put(out, i.name(), code.buffers().get(i.name()));
            }
        }
        return out;
    }

    private static void put(Map<String, Made> variables, String name, @Nullable TensorMeta meta) {
        if (meta != null) {
            variables.put(name, new Made(meta));
        }
    }

    /** Both together. */
    public KeptTensors plus(KeptTensors other) {
        return new KeptTensors(
                tensors + other.tensors,
                bytes + other.bytes,
                layouts + other.layouts,
                casts + other.casts,
                masks + other.masks);
    }
}
