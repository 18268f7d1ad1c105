package dev.headroom.model.adapter.peft.graph;

import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A layer around a module of the model.
 *
 * @param path of the module, and of the layer from then on
 * @param inner the module's name in the layer
 * @param modules the layer's other modules, by their paths in it, in order
 * @param tensors the layer's own, in order
 * @param made how these are made
 * @param late whether the layer comes after those around targeted modules
 */
public record Wrapping(
        String path, String inner, List<String> modules, List<Added> tensors, List<Addition> made, boolean late) {
    public Wrapping(String path, String inner, List<String> modules, List<Added> tensors, List<Addition> made) {
        this(path, inner, modules, tensors, made, false);
    }

    /**
     * A parameter or buffer of a layer.
     *
     * @param name qualified
     * @param trained whether it is trained; a buffer is not
     * @param own the type that it has whatever the adapter's; {@code null} for the adapter's
     */
    public record Added(
            String name,
            List<Long> sizes,
            Graph.InputKind kind,
            boolean trained,
            @Nullable DType own) {
        /** A trained parameter. */
        public Added(String name, List<Long> sizes) {
            this(name, sizes, Graph.InputKind.PARAMETER, true, null);
        }

        /** A buffer. */
        public static Added buffer(String name, List<Long> sizes, @Nullable DType own) {
            return new Added(name, sizes, Graph.InputKind.BUFFER, false, own);
        }

        /** How it is made in a layer of a type. */
        public Addition made(DType type) {
            return new Addition(Addition.Kind.NEW, name, own == null ? type : own, List.of());
        }

        /** Its value in the graph. */
        public String value() {
            return Wrapping.value(name);
        }
    }

    /** The value of a parameter in the graph. */
    public static String value(String name) {
        return "p_" + name.replace('.', '_');
    }
}
