package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.parallel.layout.ShardLayout;
import dev.headroom.estimator.parallel.unit.Unit;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.parallel.Parallelism;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Divides a unit's parameters (torch/distributed/fsdp/_fully_shard/_fsdp_init.py; _fsdp_param.py, _init_sharded_param).
 */
final class Sharding {
    private final EagerRuntime runtime;
    private final ModelTensors model;
    private final Communicator shards;
    private final Precision precision;
    private final Parallelism parallel;
    private final Map<String, ShardedParameter> made = new HashMap<>();

    Sharding(EagerRuntime runtime, ModelTensors model, Communicator shards, Precision precision, Parallelism parallel) {
        this.runtime = runtime;
        this.model = model;
        this.shards = shards;
        this.precision = precision;
        this.parallel = parallel;
    }

    /**
     * Divides.
     *
     * @throws UserInputException for parameters that PyTorch refuses
     */
    List<ShardedParameter> of(Unit unit) {
        List<ShardedParameter> out = new ArrayList<>();
        Map<String, Tensor> before = new HashMap<>();
        unit.parameters().forEach(name -> check(name, model.named(name)));
        if (parallel.build() == Parallelism.Build.CPU) {
            unit.parameters().forEach(name -> move(name, Category.PARAMETERS));
            unit.buffers().forEach(name -> move(name, Category.BUFFERS));
        }
        for (String name : unit.parameters()) {
            Tensor whole = model.named(name);
            ShardedParameter p = shard(name, whole);
            made.put(name, p);
            out.add(p);
            before.put(name, model.replace(name, p.sharded(), p.unsharded()));
        }
        unit.freed().forEach(name -> runtime.release(before.get(name)));
        return out;
    }

    private void check(String name, Tensor whole) {
        if (made.containsKey(name)) {
            throw new UserInputException("`parallel=fsdp2`: '" + name
                    + "' is shared by modules of two units, which PyTorch refuses; use `wrap=root`, or"
                    + " make them one unit of `wrap_modules` (A+B)");
        }
        if (whole.dim() == 0) {
            throw new UserInputException(
                    "`parallel=fsdp2`: '" + name + "' is a scalar, which PyTorch refuses to divide");
        }
        if (!whole.isContiguous()) {
            throw new UserInputException("`parallel=fsdp2`: '" + name
                    + "' is not contiguous, which PyTorch refuses; leave out `channels_last`");
        }
    }

    private void move(String name, Category category) {
        Tensor t = model.named(name);
        try (Frame frame = runtime.frame()) {
            long[] strides = Shapes.contiguous(t.sizes());
            runtime.setData(t, runtime.emptyStrided(t.dtype(), t.sizes(), strides, category), strides, 0);
        }
    }

    private ShardedParameter shard(String name, Tensor whole) {
        ShardLayout layout = ShardLayout.of(whole.sizes(), shards.size());
        boolean meta = parallel.build() == Parallelism.Build.META;
        try (Frame frame = runtime.frame()) {
            Tensor rows;
            if (meta || parallel.cpuOffload()) {
                if (!meta) {
                    runtime.empty(whole.dtype(), layout.paddedNumel());
                }
                rows = runtime.hostTensor(whole.dtype(), sizes(whole, layout));
            } else {
                Tensor padded = runtime.emptyStrided(
                        whole.dtype(), new long[] {layout.paddedNumel()}, new long[] {1}, Category.PARAMETERS);
                long[] sizes = sizes(whole, layout);
                rows = runtime.reinterpret(padded, sizes, Shapes.contiguous(sizes), 0);
            }
            runtime.requireGrad(rows, whole.requiresGrad());
            ShardedParameter made = new ShardedParameter(
                    runtime, name, layout, runtime.hold(rows), whole.sizes(), precision, parallel.cpuOffload());
            made.unsharded().setDistribution(whole.distribution());
            return made;
        }
    }

    private long[] sizes(Tensor whole, ShardLayout layout) {
        long[] sizes = whole.sizes().clone();
        sizes[0] = layout.rows(shards.rank());
        return sizes;
    }
}
