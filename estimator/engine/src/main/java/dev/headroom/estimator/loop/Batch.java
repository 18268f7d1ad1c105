package dev.headroom.estimator.loop;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.program.ModelTypes;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.rewrite.ItemsInBatch;
import dev.headroom.model.run.PreparedRun;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What a step is given: the user's inputs, and the labels that come with them whether a loss will read them or not. */
public final class Batch {
    private final EagerRuntime runtime;
    private final PreparedRun prepared;
    private final Criterion criterion;
    private final Map<String, Tensor> model;
    private Map<String, Tensor> values = Map.of();
    private List<Tensor> inputs = List.of();
    private @Nullable Tensor target;

    /** @param model parameters and buffers by value name, which a forward pass is given as well */
    Batch(EagerRuntime runtime, PreparedRun prepared, Criterion criterion, Map<String, Tensor> model) {
        this.runtime = runtime;
        this.prepared = prepared;
        this.criterion = criterion;
        this.model = model;
    }

    /** All that the graph reads, by value name. */
    public Map<String, Tensor> values() {
        return values;
    }

    /** {@code null} when the loss compares with nothing. */
    public @Nullable Tensor target() {
        return target;
    }

    /**
     * Brings a batch to the device: it is there before the names of the one before are bound to it.
     *
     * @param move where what the loss compares with goes from there
     */
    void load(UnaryOperator<Tensor> move) {
        List<Tensor> before = inputs;
        Tensor targetBefore = target;
        makeInputs();
        // Batches for inference hold labels only where the model reads them.
        boolean bare = prepared.scenario().generation().any()
                || prepared.scenario().loop().inference()
                        && prepared.graph().held().loaded();
        target = bare ? null : criterion.target();
        if (target != null) {
            placeTarget(move);
        }
        before.forEach(runtime::release);
        runtime.release(targetBefore);
    }

    /** Brings inputs alone. */
    public void loadInputs() {
        makeInputs();
    }

    /** What it is of, and in which sizes. */
    public PreparedRun prepared() {
        return prepared;
    }

    /** What the model is given, the parameters and buffers left out. */
    public List<Tensor> inputs() {
        return inputs;
    }

    Criterion criterion() {
        return criterion;
    }

    /** Hands the model a tensor that is not the batch's own. */
    void give(String value, Tensor shared) {
        values.put(value, shared);
    }

    /** Adds what a pass is given, parameters and buffers left out. */
    public void describe(Beginning to) {
        List<String> names = values.keySet().stream().sorted().toList();
        to.constant(names);
        names.forEach(name -> to.part(values.get(name)));
        to.parts(inputs);
        to.part(target);
        inputs.forEach(t -> to.unknownIf(!t.isLeaf()));
    }

    /** {@code del} of all of it. */
    public void drop() {
        keep(List.of(), true);
    }

    /**
     * {@code del} of what a rank has no use for.
     *
     * @param kept values of the inputs that stay
     * @param ofTarget whether the target goes
     */
    public void keep(Collection<String> kept, boolean ofTarget) {
        for (Graph.Input in : prepared.graph().inputs()) {
            Tensor t = in.kind() == Graph.InputKind.USER && !kept.contains(in.value()) ? values.get(in.value()) : null;
            if (t != null && inputs.remove(t)) {
                values.remove(in.value());
                runtime.release(t);
            }
        }
        if (ofTarget) {
            runtime.release(target);
            target = null;
        }
    }

    /** The loss of an output, a local variable or the output itself. */
    public Tensor loss(Tensor output, @Nullable Tensor of) {
        return criterion.loss(output, of);
    }

    private void placeTarget(UnaryOperator<Tensor> move) {
        try (Frame frame = runtime.frame()) {
            Tensor moved = runtime.hold(move.apply(target));
            runtime.setCategory(moved, Category.INPUTS);
            runtime.release(target);
            target = moved;
        }
    }

    private void makeInputs() {
        values = new HashMap<>(model);
        inputs = new ArrayList<>();
        boolean gradient = prepared.scenario().loop().inputGrad();
        for (Graph.Input in : prepared.graph().inputs()) {
            TensorMeta meta = prepared.graph().values().get(in.value());
            if (in.kind() != Graph.InputKind.USER || meta == null || in.value().equals(ItemsInBatch.INPUT)) {
                continue;
            }
            Tensor t = input(meta);
            if (gradient && t.dtype().isFloatingPoint()) {
                runtime.requireGrad(t, true);
                gradient = false;
            }
            values.put(in.value(), t);
            inputs.add(t);
        }
        if (prepared.scenario().generation().any()
                && prepared.scenario().model().mask() != ModelOptions.Mask.NONE) {
            Tensor given = inputs.get(inputs.size() - 1);
            runtime.release(
                    held(runtime, given.dtype(), given.sizes(), given.strides())); // setdefault(…, ones_like(…))
        }
    }

    private Tensor input(TensorMeta meta) {
        return input(runtime, prepared, meta);
    }

    /** A tensor that a loader brings as an input of a model, with a reference for the caller. */
    public static Tensor input(EagerRuntime runtime, PreparedRun prepared, TensorMeta meta) {
        long[] sizes = OutputShape.sizes(meta, prepared.symbols());
        DType type =
                ModelTypes.under(meta.dtype(), prepared.scenario().precision().dtype());
        // What is in both formats, as an image of one channel is, contiguous(memory_format=…) leaves alone.
        long[] rows = Shapes.contiguous(sizes);
        boolean turned =
                prepared.scenario().kernels().turns(sizes.length) && !Shapes.isChannelsLastContiguous(sizes, rows);
        return held(runtime, type, sizes, turned ? Shapes.channelsLast(sizes) : rows);
    }

    /** A tensor of the batch, with a reference for the caller. */
    static Tensor held(EagerRuntime runtime, DType type, long[] sizes, long[] strides) {
        Frame frame = runtime.frame();
        try {
            return runtime.hold(runtime.emptyStrided(type, sizes, strides, Category.INPUTS));
        } finally {
            frame.close();
        }
    }
}
