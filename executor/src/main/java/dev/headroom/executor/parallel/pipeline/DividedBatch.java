package dev.headroom.executor.parallel.pipeline;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.train.Batch;
import dev.headroom.executor.train.Inputs;
import dev.headroom.executor.train.OutputShape;
import dev.headroom.executor.train.Target;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.run.PreparedRun;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A batch and its labels, of which microbatches are views (torch/distributed/pipelining/microbatch.py). */
final class DividedBatch {
    private final Eager eager;
    private final PreparedRun prepared;
    private final int microbatches;
    private Map<String, Tensor> inputs = Map.of();
    private @Nullable Target target;
    private @Nullable Tensor labels;

    DividedBatch(Eager eager, PreparedRun prepared, int microbatches) {
        this.eager = eager;
        this.prepared = prepared;
        this.microbatches = microbatches;
    }

    /** Brings all of it to the device. */
    void load(Batch batch) {
        var run = prepared.scenario();
        var shape = OutputShape.of(prepared.graph(), run, prepared.symbols(), eager.settings());
        target = Target.of(prepared.loss(shape.sizes()), shape.type(), shape.sizes(), run);
        inputs = Inputs.make(eager, prepared.graph(), run, prepared.symbols(), batch);
        if (target.type() == null) {
            return;
        }
        labels = Inputs.held(eager, target.type(), target.sizes(), Layout.contiguous(target.sizes()));
        if (target.classes() > 0) {
            batch.fillLabels(labels, target.classes());
        } else {
            batch.fill("target", labels);
        }
    }

    /** Drops what a rank needs not: inputs are for the first stage, labels for the last. */
    void keep(boolean first, boolean last) {
        if (!last) {
            eager.release(labels);
            labels = null;
        }
        if (!first) {
            inputs.values().forEach(eager::release);
            inputs = Map.of();
        }
    }

    /** A microbatch's inputs by value name, as locals of the running scope. */
    Map<String, Tensor> inputs(int chunk) {
        Map<String, Tensor> out = new HashMap<>();
        inputs.forEach((name, t) -> out.put(name, part(t, chunk)));
        return out;
    }

    /** The loss of a microbatch, a local of the running scope. */
    Tensor loss(Tensor output, int chunk) {
        Tensor own = labels == null ? null : part(labels, chunk);
        return eager.call(() -> Objects.requireNonNull(target, "a batch").loss(eager, output, own));
    }

    private Tensor part(Tensor whole, int chunk) {
        long[] sizes = whole.sizes().clone();
        sizes[0] /= microbatches;
        return eager.alias(whole, sizes, whole.strides(), whole.offset() + chunk * sizes[0] * whole.stride(0));
    }

    /**
     * The outputs of all microbatches in one tensor (merge_chunks), with a reference for the caller.
     *
     * @throws UserInputException for scalars
     */
    static Tensor merged(Eager eager, List<Tensor> chunks) {
        Tensor first = chunks.get(0);
        if (first.dims() == 0) {
            throw new UserInputException("`parallel=pp`: the model returns a scalar, and outputs of microbatches are"
                    + " joined; have it return its scores");
        }
        long[] sizes = first.sizes().clone();
        sizes[0] *= chunks.size();
        try (Scope s = eager.open()) {
            Tensor all = eager.empty(first.dtype(), sizes);
            for (int i = 0; i < chunks.size(); i++) {
                Tensor place = eager.alias(all, first.sizes(), all.strides(), i * first.size(0) * all.stride(0));
                Copies.fill(eager, place, chunks.get(i));
            }
            return eager.hold(all);
        }
    }
}
