package dev.headroom.model.adapter.peft;

import dev.headroom.model.graph.Addition;
import java.util.List;

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
record Wrapping(
        String path, String inner, List<String> modules, List<Added> tensors, List<Addition> made, boolean late) {
    Wrapping(String path, String inner, List<String> modules, List<Added> tensors, List<Addition> made) {
        this(path, inner, modules, tensors, made, false);
    }

    /**
     * A parameter of a layer.
     *
     * @param name qualified
     */
    record Added(String name, List<Long> sizes) {
        /** Its value in the graph. */
        String value() {
            return Wrapping.value(name);
        }
    }

    /** The value of a parameter in the graph. */
    static String value(String name) {
        return "p_" + name.replace('.', '_');
    }
}
