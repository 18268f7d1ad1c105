package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.parallel.layout.ShardLayout;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.Shapes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Brings a model that was divided on the meta device what the first rank has loaded: each parameter is sent whole and
 * divided (accelerate 1.15, utils/fsdp_utils.py, fsdp2_load_full_state_dict;
 * torch/distributed/tensor/placement_types.py, Shard._shard_tensor).
 */
final class StateDictLoad {
    private final EagerRuntime runtime;
    private final ModelTensors model;
    private final boolean onHost;
    private final int rank;
    private final Consumer<Tensor> broadcast;
    private final Map<String, ShardedParameter> divided = new HashMap<>();

    /**
     * A load.
     *
     * @param onHost whether shards go to host memory
     * @param rank the own one
     * @param broadcast notes the collective that sends a tensor
     */
    StateDictLoad(
            EagerRuntime runtime,
            ModelTensors model,
            List<ParameterGroup> groups,
            boolean onHost,
            int rank,
            Consumer<Tensor> broadcast) {
        this.runtime = runtime;
        this.model = model;
        this.onHost = onHost;
        this.rank = rank;
        this.broadcast = broadcast;
        groups.forEach(g -> g.parameters().forEach(p -> divided.put(p.name(), p)));
    }

    void load(ModelState state) {
        try (Frame frame = runtime.frame()) {
            Map<String, Tensor> loaded = new LinkedHashMap<>();
            Tensor before = null;
            for (Map.Entry<String, HeldTensor> e : state.tensors().entrySet()) {
                if (e.getValue().kind() == Graph.InputKind.PARAMETER) {
                    ShardedParameter p = parameter(e.getValue());
                    attribute(e.getKey());
                    Tensor whole =
                            runtime.empty(p.sharded().dtype(), p.unsharded().sizes());
                    runtime.free(before);
                    loaded.put(e.getKey(), shard(p, whole));
                    before = rank == 0 ? null : whole; // all others bind its name anew
                    runtime.freeUnless(whole, before);
                }
            }
            List<Tensor> untied = assign(state, loaded);
            runtime.free(before);
            state.tensors().forEach((name, held) -> {
                if (held.kind() == Graph.InputKind.BUFFER && held.storage().equals(name)) {
                    move(model.named(name));
                }
            });
            runtime.freeAll(untied); // tie_weights()
        }
    }

    private ShardedParameter parameter(HeldTensor held) {
        return Objects.requireNonNull(divided.get(held.storage()));
    }

    private void attribute(String name) {
        runtime.attribute(runtime.number(new Attribution(ModelState.owner(name), ModelTensors.PARAMETER, name)));
    }

    /**
     * {@code load_state_dict(assign=True)}, and after it what pads rows that are fewer than other ranks'
     * (FSDPParam.reset_sharded_param).
     *
     * @return what no parameter takes
     */
    private List<Tensor> assign(ModelState state, Map<String, Tensor> loaded) {
        List<Tensor> untied = new ArrayList<>();
        List<Tensor> replaced = new ArrayList<>();
        loaded.forEach((name, rows) -> {
            HeldTensor held = Objects.requireNonNull(state.tensors().get(name));
            ShardedParameter p = parameter(held);
            if (onHost || !held.storage().equals(name)) {
                untied.add(rows);
                return;
            }
            attribute(name);
            boolean fewer = p.layout().rows(rank) < p.layout().paddedRows();
            runtime.setData(p.sharded(), fewer ? padded(p) : rows, p.sharded().strides(), 0);
            replaced.add(rows);
        });
        runtime.freeAll(replaced);
        return untied;
    }

    private Tensor padded(ShardedParameter p) {
        long[] numel = {p.layout().paddedNumel()};
        return runtime.emptyStrided(p.sharded().dtype(), numel, new long[] {1}, Category.PARAMETERS);
    }

    /** This rank's rows, padded to what every rank has: a local variable of the running frame. */
    private Tensor shard(ShardedParameter p, Tensor whole) {
        ShardLayout layout = p.layout();
        try (Frame frame = runtime.frame()) {
            broadcast.accept(whole);
            List<Tensor> pieces = new ArrayList<>();
            for (int of = 0; of < layout.ranks(); of++) {
                if (layout.rows(of) < layout.paddedRows()) {
                    pieces.add(runtime.empty(whole.dtype(), layout.paddedNumel()));
                }
            }
            Tensor rows = padded(p);
            runtime.freeAll(pieces);
            return frame.keep(rows);
        }
    }

    private void move(Tensor t) {
        try (Frame frame = runtime.frame()) {
            long[] strides = Shapes.contiguous(t.sizes());
            runtime.setData(t, runtime.emptyStrided(t.dtype(), t.sizes(), strides, Category.BUFFERS), strides, 0);
        }
    }
}
