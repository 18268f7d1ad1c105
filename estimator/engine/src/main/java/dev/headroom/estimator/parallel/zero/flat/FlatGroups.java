package dev.headroom.estimator.parallel.zero.flat;

import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The flat buffers of the optimizer's parameter groups, in their order. */
final class FlatGroups {
    private final List<FlatGroup> all;
    private final Map<Tensor, FlatGroup> byParameter = new HashMap<>();

    FlatGroups(List<FlatGroup> all) {
        this.all = List.copyOf(all);
        all.forEach(group -> group.parameters().forEach(p -> byParameter.put(p, group)));
    }

    List<FlatGroup> all() {
        return all;
    }

    DType type() {
        return all.get(0).type();
    }

    private FlatGroup of(Tensor parameter) {
        return Objects.requireNonNull(byParameter.get(parameter));
    }

    /** Who has what of a parameter, by rank. */
    List<Slice> slices(Tensor parameter) {
        return of(parameter).slices(parameter);
    }

    /** What the own rank has of a parameter; {@code null} for nothing. */
    @Nullable
    Slice own(Tensor parameter) {
        return of(parameter).own(parameter);
    }

    /** Elements of all parameters of which the own rank has something. */
    long ownNumel() {
        return all.stream()
                .flatMap(group -> group.own().stream())
                .mapToLong(Tensor::numel)
                .sum();
    }
}
