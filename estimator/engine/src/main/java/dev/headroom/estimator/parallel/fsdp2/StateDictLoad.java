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
import dev.headroom.model.graph.Shapes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Brings a model that was divided on the meta device what the first rank has loaded: each parameter is sent whole and
 * divided (accelerate 1.15, utils/fsdp_utils.py, fsdp2_load_full_state_dict; torch/distributed/tensor/placement_types.py,
 * Shard._shard_tensor).
 */
final class StateDictLoad {
    private final EagerRuntime runtime;
    private final ModelTensors model;
    private final boolean onHost;
    private final Consumer<Tensor> broadcast;
    private final Map<String, ShardedParameter> divided = new HashMap<>();

    /**
     * A load.
     *
     * @param onHost whether shards go to host memory
     * @param broadcast notes the collective that sends a tensor
     */
    StateDictLoad(
            EagerRuntime runtime,
            ModelTensors model,
            List<ParameterGroup> groups,
            boolean onHost,
            Consumer<Tensor> broadcast) {
        this.runtime = runtime;
        this.model = model;
        this.onHost = onHost;
        this.broadcast = broadcast;
        groups.forEach(g -> g.parameters().forEach(p -> divided.put(p.name(), p)));
    }

    void load(ModelState state) {
        try (Frame frame = runtime.frame()) {
            List<Tensor> untied = new ArrayList<>();
            state.tensors().forEach((name, held) -> {
                if (held.kind() == Graph.InputKind.PARAMETER) {
                    ShardedParameter p = Objects.requireNonNull(divided.get(held.storage()), name);
                    String module = ModelState.owner(name);
                    runtime.attribute(runtime.number(new Attribution(module, ModelTensors.PARAMETER, name)));
                    Tensor rows = shard(p);
                    if (held.storage().equals(name) && !onHost) {
                        runtime.setData(p.sharded(), rows, p.sharded().strides(), 0);
                        runtime.free(rows);
                    } else {
                        untied.add(rows);
                    }
                }
            });
            state.tensors().forEach((name, held) -> {
                if (held.kind() == Graph.InputKind.BUFFER && held.storage().equals(name)) {
                    move(model.named(name));
                }
            });
            runtime.freeAll(untied); // tie_weights()
        }
    }

    /** This rank's rows, padded to what every rank has: a local variable of the running frame. */
    private Tensor shard(ShardedParameter p) {
        ShardLayout layout = p.layout();
        try (Frame frame = runtime.frame()) {
            Tensor whole = runtime.empty(p.sharded().dtype(), p.unsharded().sizes());
            broadcast.accept(whole);
            List<Tensor> padded = new ArrayList<>();
            for (int rank = 0; rank < layout.ranks(); rank++) {
                if (layout.rows(rank) < layout.paddedRows()) {
                    padded.add(runtime.empty(whole.dtype(), layout.paddedNumel()));
                }
            }
            Tensor rows = runtime.emptyStrided(
                    whole.dtype(), new long[] {layout.paddedNumel()}, new long[] {1}, Category.PARAMETERS);
            runtime.freeAll(padded);
            runtime.free(whole);
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
