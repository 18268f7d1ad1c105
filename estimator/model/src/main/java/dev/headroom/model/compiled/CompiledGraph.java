package dev.headroom.model.compiled;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A graph that was compiled: one call of it is one node of autograd's graph
 * (torch/_functorch/_aot_autograd/runtime_wrappers.py, {@code CompiledFunction}).
 *
 * @param forward also the only code of a graph that is not trained
 * @param backward takes what forward kept and the gradients of the results; {@code null} without training
 * @param results that the caller gets, which come first in what forward returns; the rest is kept for backward
 * @param gradients one entry an argument of forward: the gradient as traced, {@code null} for none
 */
public record CompiledGraph(
        CompiledCode forward,
        @Nullable CompiledCode backward,
        List<@Nullable TensorMeta> results,
        List<@Nullable TensorMeta> gradients)
        implements Argument.Attachment {
    public CompiledGraph {
        results = Collections.unmodifiableList(new ArrayList<>(results));
        gradients = Collections.unmodifiableList(new ArrayList<>(gradients));
    }
}
