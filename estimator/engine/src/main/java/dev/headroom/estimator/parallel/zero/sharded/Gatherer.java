package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes sharded parameters whole (deepspeed/runtime/zero/partition_parameters.py, Init). */
final class Gatherer {
    private final EagerRuntime runtime;
    private final Collectives collectives;
    private final boolean oneByOne;

    /** @param oneByOne each parameter has a collective of its own ({@code allgather_sequential}) */
    Gatherer(EagerRuntime runtime, Collectives collectives, boolean oneByOne) {
        this.runtime = runtime;
        this.collectives = collectives;
        this.oneByOne = oneByOne;
    }

    /** Asks for parameters without waiting for them, on the current stream (all_gather_coalesced). */
    Gathering ask(List<ShardedParameter> wanted) {
        List<ShardedParameter> parameters = wanted.stream()
                .sorted(Comparator.comparing(ShardedParameter::id))
                .toList();
        if (isAlone()) {
            parameters.forEach(this::useShard);
            return new Gathering(runtime, collectives, parameters, null, List.of());
        }
        return parameters.size() == 1 || oneByOne ? apart(parameters) : together(parameters);
    }

    private boolean isAlone() {
        return collectives.group().size() == 1;
    }

    /** A single rank's part is all (NoGatherHandle). */
    private void useShard(ShardedParameter p) {
        try (Frame frame = runtime.frame()) {
            p.setWhole(p.shard() == null ? shardOnDevice(p) : p.shard());
        }
    }

    /** _all_gather_sequential: what arrives is the parameter. */
    private Gathering apart(List<ShardedParameter> parameters) {
        List<Tensor> copies = new ArrayList<>();
        for (ShardedParameter p : parameters) {
            try (Frame frame = runtime.frame()) {
                Tensor whole = whole(p);
                Tensor copy = shardOnDevice(p);
                collectives.run(CollectiveKind.ALL_GATHER, p.shardBytes(), p.type());
                if (copy != null) {
                    collectives.stash(copy);
                    copies.add(copy);
                }
                p.setWhole(whole);
            }
        }
        return new Gathering(runtime, collectives, parameters, null, copies);
    }

    /** _all_gather_dtype: parts that lie in the host's memory come first. */
    private Gathering together(List<ShardedParameter> parameters) {
        long numel = parameters.stream().mapToLong(ShardedParameter::shardNumel).sum();
        Tensor flat;
        try (Frame frame = runtime.frame()) {
            flat = runtime.hold(runtime.emptyStrided(
                    parameters.get(0).type(),
                    new long[] {numel * collectives.group().size()},
                    new long[] {1},
                    Category.PARAMETERS));
            parameters.forEach(this::shardOnDevice);
        }
        collectives.run(
                CollectiveKind.ALL_GATHER,
                numel * parameters.get(0).type().bytes(),
                parameters.get(0).type());
        return new Gathering(runtime, collectives, parameters, flat, List.of());
    }

    private Tensor whole(ShardedParameter p) {
        return runtime.emptyStrided(
                p.type(),
                new long[] {p.shardNumel() * collectives.group().size()},
                new long[] {1},
                Category.PARAMETERS);
    }

    /** A copy of a part that lies in the host's memory; {@code null} for one that is on the device. */
    private @Nullable Tensor shardOnDevice(ShardedParameter p) {
        if (p.shard() != null) {
            return null;
        }
        Tensor copy = runtime.empty(p.type(), p.shardNumel());
        runtime.streams().hostWaits();
        return copy;
    }

    /** Makes parameters whole and waits for them, each in a buffer of its own (Init._all_gather). */
    void fetch(List<ShardedParameter> parameters) {
        if (parameters.size() == 1 || oneByOne) {
            parameters.forEach(this::fetch);
            runtime.streams().hostWaits();
        } else if (isAlone()) {
            parameters.forEach(this::useShard);
        } else if (!parameters.isEmpty()) {
            coalesced(parameters);
            runtime.streams().hostWaits();
        }
        parameters.forEach(p -> p.setStatus(ShardedParameter.Status.WHOLE));
    }

    /** _allgather_params_sequential. */
    private void fetch(ShardedParameter p) {
        try (Frame frame = runtime.frame()) {
            Tensor whole = whole(p);
            shardOnDevice(p);
            collectives.runHere(CollectiveKind.ALL_GATHER, p.shardBytes(), p.type(), -1);
            p.setWhole(whole);
        }
    }

    /** _allgather_params_coalesced: only the last collective is waited for. */
    private void coalesced(List<ShardedParameter> parameters) {
        try (Frame frame = runtime.frame()) {
            List<Tensor> copies = new ArrayList<>();
            parameters.forEach(p -> copies.add(shardOnDevice(p)));
            List<Tensor> whole = parameters.stream().map(this::whole).toList();
            for (int i = 0; i < parameters.size(); i++) {
                ShardedParameter p = parameters.get(i);
                collectives.run(CollectiveKind.ALL_GATHER, p.shardBytes(), p.type());
                if (i < parameters.size() - 1) {
                    collectives.stash(whole.get(i));
                    if (copies.get(i) != null) {
                        collectives.stash(copies.get(i));
                    }
                }
            }
            for (int i = 0; i < parameters.size(); i++) {
                parameters.get(i).setWhole(whole.get(i));
            }
        }
    }
}
