package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.parallel.layout.CopyMetadata;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.List;

/** Gathers a unit's parameters in one collective (torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py). */
final class AllGather {
    private final EagerRuntime runtime;
    private final Communication shared;

    AllGather(Communication shared) {
        this.runtime = shared.runtime();
        this.shared = shared;
    }

    /** foreach_all_gather. */
    Gathered start(List<ShardedParameter> parameters, Communicator group) {
        return start(parameters, group, shared.stream(Communication.COPY_IN), shared.stream(Communication.GATHER));
    }

    /** The same where the caller waits later: on the current stream, and NCCL's own. */
    Gathered startHere(List<ShardedParameter> parameters, Communicator group) {
        return start(parameters, group, runtime.streams().current(), Communication.NCCL);
    }

    private Gathered start(List<ShardedParameter> parameters, Communicator group, int copyIn, int gather) {
        DType type = common(parameters);
        long[] bytes = parameters.stream()
                .mapToLong(p -> p.gatheredNumel() * p.gatheredType().bytes())
                .toArray();
        if (group.size() == 1) {
            return new Gathered(null, bytes, group);
        }
        int before = runtime.streams().use(copyIn);
        try (Frame frame = runtime.frame()) {
            parameters.stream().filter(p -> !p.isCastTogether()).forEach(ShardedParameter::bringToDevice);
            long cast = parameters.stream()
                    .filter(ShardedParameter::isCastTogether)
                    .mapToLong(ShardedParameter::gatheredNumel)
                    .sum();
            if (cast > 0) {
                runtime.empty(type, cast);
            }
            long numel = Arrays.stream(bytes).sum() / type.bytes();
            Tensor output = runtime.empty(type, numel * group.size());
            group.run(CollectiveKind.ALL_GATHER, numel * type.bytes(), type, gather);
            return new Gathered(runtime.hold(output), bytes, group);
        } finally {
            runtime.streams().use(before);
        }
    }

    /** The type that all are gathered in; where they differ, their bytes are. */
    private static DType common(List<ShardedParameter> parameters) {
        DType first = parameters.get(0).gatheredType();
        return parameters.stream().allMatch(p -> p.gatheredType() == first) ? first : DType.UINT8;
    }

    /** foreach_all_gather_copy_out; a group of one rank copies its shards. */
    void copyOut(Gathered gathered, List<ShardedParameter> parameters) {
        try (Frame frame = runtime.frame()) {
            if (gathered.output() == null) {
                Tensor before = null;
                for (ShardedParameter p : parameters) {
                    p.bringToDevice();
                    if (p.isCastTogether()) {
                        Tensor cast = runtime.empty(p.gatheredType(), p.gatheredNumel());
                        runtime.free(before);
                        before = cast;
                    }
                    p.allocate();
                }
                return;
            }
            parameters.forEach(ShardedParameter::allocate);
            runtime.free(runtime.scratch(CopyMetadata.split(
                    gathered.bytes(),
                    gathered.group().size(),
                    runtime.device().sms(),
                    runtime.device().threadsPerSm())));
        }
    }
}
