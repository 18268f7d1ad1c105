package dev.headroom.executor.parallel.fsdp2;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.parallel.Collectives;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Brings the parts of parameters together (_fsdp_collectives.py). */
final class Gathering {
    private final Eager eager;
    private final List<ShardedParameter> parameters;

    Gathering(Eager eager, List<ShardedParameter> parameters) {
        this.eager = eager;
        this.parameters = parameters;
    }

    /** foreach_all_gather. */
    Tensor allGather(Collectives among) {
        List<Tensor> parts = parts();
        long each = parts.stream().mapToLong(Tensor::elements).sum();
        Tensor all = eager.empty(parts.get(0).dtype(), each * among.group().size());
        long first = each * among.group().rank();
        long offset = first;
        for (Tensor part : parts) {
            Copies.fill(eager, flat(all, offset, part.elements()), part);
            offset += part.elements();
        }
        among.allGather(all, flat(all, first, each));
        return all;
    }

    private Tensor flat(Tensor t, long offset, long elements) {
        return eager.alias(t, new long[] {elements}, new long[] {1}, offset);
    }

    /** _get_param_all_gather_inputs: in another type they are copied into one tensor first. */
    private List<Tensor> parts() {
        List<Tensor> own = parameters.stream().map(ShardedParameter::part).toList();
        boolean mixed = parameters.stream()
                .anyMatch(p -> p.gatheredType() != p.sharded().dtype());
        if (!mixed) {
            return own;
        }
        Tensor copy = eager.empty(
                parameters.get(0).gatheredType(),
                own.stream().mapToLong(Tensor::elements).sum());
        List<Tensor> out = new ArrayList<>();
        long offset = 0;
        for (Tensor part : own) {
            Tensor to = flat(copy, offset, part.elements());
            Copies.fill(eager, to, part);
            out.add(to);
            offset += part.elements();
        }
        return out;
    }

    /** One rank has all: each parameter is copied. */
    void copyOwn() {
        try (Scope s = eager.open()) {
            Tensor before = null;
            for (ShardedParameter p : parameters) {
                Tensor part = p.part();
                Tensor cast = part;
                if (p.gatheredType() != part.dtype()) {
                    cast = eager.emptyLike(part, p.gatheredType());
                    Copies.fill(eager, cast, part);
                }
                eager.free(before);
                before = cast;
                eager.takeStorage(p.flat());
                Copies.fill(eager, p.flat(), cast);
            }
        }
    }

    /** foreach_all_gather_copy_out. */
    void copyOut(Tensor all, int ranks) {
        try (Scope s = eager.open()) {
            parameters.forEach(p -> eager.takeStorage(p.flat()));
            PackedPlaces.ofSplit(
                    eager,
                    parameters.stream()
                            .mapToLong(p ->
                                    p.paddedElements() / ranks * all.dtype().bytes())
                            .toArray(),
                    ranks);
            long row = all.elements() / ranks;
            long offset = 0;
            for (ShardedParameter p : parameters) {
                long part = p.paddedElements() / ranks;
                long[] sizes = {ranks, part};
                Copies.fill(
                        eager,
                        eager.alias(p.flat(), sizes, new long[] {part, 1}, 0),
                        eager.alias(all, sizes, new long[] {row, 1}, offset));
                offset += part;
            }
        }
    }
}
