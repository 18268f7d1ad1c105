package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.Attribution;
import dev.headroom.estimator.runtime.Category;
import dev.headroom.estimator.runtime.Distribution;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.plan.ModuleStyle;
import dev.headroom.model.plan.Placement;
import dev.headroom.model.plan.PlannedModule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts parts in the places of parameters. On the GPU the first rank sends every other its part, and the whole parameter is
 * there beside it until then (torch/distributed/tensor/_api.py, distribute_tensor); from the meta device only the parts are
 * made, when all modules are shared ({@code to_empty}).
 */
final class SharedModel {
    private final EagerRuntime rt;
    private final ModelTensors model;
    private final TensorRanks ranks;
    private final boolean onDevice;
    private final Map<String, Distribution> shared = new HashMap<>();

    SharedModel(EagerRuntime rt, ModelTensors model, TensorRanks ranks, boolean onDevice) {
        this.rt = rt;
        this.model = model;
        this.ranks = ranks;
        this.onDevice = onDevice;
    }

    /** Shares the parameters of one module. */
    void share(PlannedModule planned, ModuleContent content) {
        if (planned.style().kind() == ModuleStyle.Kind.PREPARE) {
            return;
        }
        boolean deep = planned.style().kind() == ModuleStyle.Kind.SEQUENCE;
        for (String name : List.copyOf(model.parameterNames())) {
            String owner = ModelState.owner(name);
            if (owner.equals(planned.path()) || deep && name.startsWith(planned.path() + ".")) {
                share(name, planned.style().kind(), content);
            }
        }
    }

    private void share(String name, ModuleStyle.Kind style, ModuleContent content) {
        Tensor whole = model.named(name);
        boolean embedding = content == ModuleContent.EMBEDDING;
        boolean bias = whole.dim() < 2;
        Placement placement = switch (style) {
            case COLWISE -> Placement.shard(embedding ? 1 : 0);
            case ROWWISE ->
                embedding ? Placement.shard(0) : bias ? Placement.REPLICATE : Placement.shard(1);
            default -> Placement.REPLICATE;
        };
        Distribution made = new Distribution(ranks, placement, whole.sizes());
        if (style == ModuleStyle.Kind.SEQUENCE) {
            made.gradientsCome(Placement.PARTIAL); // each rank has seen its part of the sequence only
        } else if (embedding && style == ModuleStyle.Kind.ROWWISE) {
            made.gradientsCome(Placement.REPLICATE); // embedding_dense_backward of whole gradients and indices
        }
        shared.put(name, made);
        if (onDevice) {
            attribute(name);
            if (style == ModuleStyle.Kind.SEQUENCE) {
                put(name, whole); // DTensor.from_local: the parameter itself
            } else if (placement.isShard()) {
                try (Frame frame = rt.frame()) {
                    put(name, scattered(whole, placement.dim()));
                }
            } else {
                ranks.communicator().runHere(CollectiveKind.BROADCAST, whole.nbytes(), whole.dtype(), 0);
                put(name, whole);
            }
        }
    }

    /** Shard._shard_tensor. */
    private Tensor scattered(Tensor whole, int dim) {
        List<Tensor> chunks = ranks.chunks(whole, dim);
        long[] sizes = whole.sizes().clone();
        sizes[dim] = Chunks.largest(whole.size(dim), ranks.size());
        Tensor part = rt.emptyStrided(whole.dtype(), sizes, Shapes.contiguous(sizes), Category.PARAMETERS);
        if (ranks.rank() == 0) {
            for (int to = 1; to < ranks.size(); to++) {
                ranks.communicator().runHere(CollectiveKind.SEND, part.nbytes(), part.dtype(), to);
            }
        } else {
            ranks.communicator().runHere(CollectiveKind.RECV, part.nbytes(), part.dtype(), 0);
        }
        long[] own = Chunks.local(whole.sizes(), dim, ranks.size(), ranks.rank());
        Tensor out = part;
        if (own[dim] != sizes[dim]) {
            out = Shapes.isContiguous(own, part.strides())
                    ? rt.reinterpret(part, own, part.strides(), 0)
                    : rt.emptyStrided(whole.dtype(), own, Shapes.contiguous(own), Category.PARAMETERS);
            rt.hold(out);
            rt.free(part);
            rt.adopt(out);
        }
        for (int i = chunks.size() - 1; i >= 0; i--) {
            rt.free(chunks.get(i));
        }
        return out;
    }

    private void put(String name, Tensor part) {
        Distribution of = shared.get(name);
        Tensor before = model.named(name);
        if (of != null) {
            part.setDistribution(of);
        }
        if (part == before) {
            return;
        }
        boolean trained = before.requiresGrad();
        rt.release(model.replace(name, rt.hold(part), part));
        rt.requireGrad(part, trained);
    }

    /** {@code to_empty}: memory for all that a model on the meta device has. */
    void materialise() {
        for (String name : model.moved()) {
            Tensor before = model.named(name);
            Distribution of = shared.get(name);
            boolean parameter = model.parameterNames().contains(name);
            if (!parameter && !model.buffers().contains(before)) {
                continue; // a constant
            }
            attribute(name);
            try (Frame frame = rt.frame()) {
                long[] sizes = of != null && of.placement().isShard()
                        ? Chunks.local(of.sizes(), of.placement().dim(), ranks.size(), ranks.rank())
                        : before.sizes();
                Category category = parameter ? Category.PARAMETERS : Category.BUFFERS;
                put(name, rt.emptyStrided(before.dtype(), sizes, Shapes.contiguous(sizes), category));
            }
        }
    }

    private void attribute(String name) {
        rt.attribute(rt.number(new Attribution(ModelState.owner(name), ModelTensors.PARAMETER, name)));
    }
}
