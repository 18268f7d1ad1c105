package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.unit.MoveOrder;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.Distribution;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.plan.ModuleStyle;
import dev.headroom.model.plan.Placement;
import dev.headroom.model.plan.PlannedModule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Puts parts in the places of parameters. On the GPU the first rank sends every other its part, and the whole parameter
 * is there beside it until then (torch/distributed/tensor/_api.py, distribute_tensor); from the meta device only the
 * parts are made, when all modules are shared ({@code to_empty}).
 */
final class SharedModel {
    private final EagerRuntime rt;
    private final ModelTensors model;
    private final TensorRanks ranks;
    private final boolean onDevice;
    private final ModelState state;
    private final TiedParameters ties;
    private final Map<String, Distribution> shared = new LinkedHashMap<>();

    /** By storage name: tied parameters that are not shared in all their modules yet, held. */
    private final Map<String, Tensor> originals = new HashMap<>();

    SharedModel(
            EagerRuntime rt,
            ModelTensors model,
            Graph graph,
            TiedParameters ties,
            TensorRanks ranks,
            boolean onDevice) {
        this.rt = rt;
        this.model = model;
        this.state = graph.held();
        this.ties = ties;
        this.ranks = ranks;
        this.onDevice = onDevice;
    }

    /** Shares the parameters of one module. */
    void share(PlannedModule planned, ModuleContent content) {
        if (planned.style().kind() == ModuleStyle.Kind.PREPARE) {
            return;
        }
        ModuleStyle.Kind style = planned.style().kind();
        boolean deep = style == ModuleStyle.Kind.SEQUENCE;
        // named_parameters() keeps what it has listed until its end; a rowwise linear is shared without it.
        boolean listed = style != ModuleStyle.Kind.ROWWISE || content == ModuleContent.EMBEDDING;
        List<Tensor> wholes = new ArrayList<>();
        for (String name : state.tensors().keySet()) {
            String owner = ModelState.owner(name);
            boolean own = owner.equals(planned.path()) || deep && name.startsWith(planned.path() + ".");
            if (own && held(name).kind() == Graph.InputKind.PARAMETER) {
                wholes.add(rt.hold(whole(name)));
                share(name, style, content);
                if (!listed) {
                    rt.release(wholes.remove(0));
                }
            }
        }
        wholes.forEach(rt::release);
    }

    private ModelState.HeldTensor held(String name) {
        return Objects.requireNonNull(state.tensors().get(name), name);
    }

    /** The parameter as it is before any of the modules that it is tied in is shared. */
    private Tensor whole(String name) {
        String storage = held(name).storage();
        if (!ties.isTied(storage)) {
            return model.named(name);
        }
        Tensor whole = originals.computeIfAbsent(storage, k -> rt.hold(model.named(k)));
        return whole;
    }

    private void share(String name, ModuleStyle.Kind style, ModuleContent content) {
        Tensor whole = whole(name);
        boolean embedding = content == ModuleContent.EMBEDDING;
        boolean bias = whole.dim() < 2;
        Placement placement =
                switch (style) {
                    case COLWISE -> Placement.shard(embedding ? 1 : 0);
                    case ROWWISE -> embedding ? Placement.shard(0) : bias ? Placement.REPLICATE : Placement.shard(1);
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
        if (of != null) {
            part.setDistribution(of);
        }
        String storage = held(name).storage();
        boolean trained = held(name).meta().requiresGrad();
        if (!storage.equals(name)) {
            ties.untie(model, name, rt.hold(part));
            rt.requireGrad(part, trained);
            return;
        }
        Tensor before = model.named(name);
        if (part != before) {
            rt.release(model.replace(name, rt.hold(part), part));
            rt.requireGrad(part, trained);
        }
    }

    /** All modules are shared: what parameters were tied in is gone with the last of them. */
    void finish(boolean dividedFurther) {
        if (dividedFurther && !onDevice) {
            shared.forEach(this::shrink);
        } else if (!onDevice) {
            materialise();
        }
        originals.values().forEach(rt::release);
        originals.clear();
    }

    /** On the meta device, parts have no memory either. */
    private void shrink(String name, Distribution of) {
        long[] sizes = of.placement().isShard()
                ? Chunks.local(of.sizes(), of.placement().dim(), ranks.size(), ranks.rank())
                : of.sizes();
        try (Frame frame = rt.frame()) {
            put(name, rt.hostTensor(model.named(name).dtype(), sizes));
        }
    }

    /** How many of the parameters all ranks have whole. */
    long whole() {
        return shared.values().stream().filter(d -> !d.placement().isShard()).count();
    }

    /** Whether no parameter is left that is no DTensor. */
    boolean sharesAll() {
        return shared.keySet().containsAll(model.parameterNames());
    }

    /**
     * {@code to_empty}: memory for all that a model on the meta device has, for each of tied parameters anew; a
     * library's {@code tie_weights} then ties them again.
     */
    private void materialise() {
        List<Tensor> tiedAgain = new ArrayList<>();
        for (String name : MoveOrder.of(state)) {
            ModelState.HeldTensor held = held(name);
            if (held.kind() == Graph.InputKind.CONSTANT) {
                continue;
            }
            boolean parameter = held.kind() == Graph.InputKind.PARAMETER;
            boolean alias = !held.storage().equals(name);
            if (alias && !parameter) {
                continue;
            }
            attribute(name);
            try (Frame frame = rt.frame()) {
                Distribution of = shared.get(name);
                Tensor before = whole(name);
                long[] sizes = of != null && of.placement().isShard()
                        ? Chunks.local(of.sizes(), of.placement().dim(), ranks.size(), ranks.rank())
                        : before.sizes();
                Category category = parameter ? Category.PARAMETERS : Category.BUFFERS;
                Tensor made = rt.emptyStrided(before.dtype(), sizes, Shapes.contiguous(sizes), category);
                if (alias && ties.library()) {
                    tiedAgain.add(rt.hold(made));
                } else {
                    put(name, made);
                }
            }
        }
        tiedAgain.forEach(rt::release);
    }

    private void attribute(String name) {
        rt.attribute(rt.number(new Attribution(ModelState.owner(name), ModelTensors.PARAMETER, name)));
    }
}
