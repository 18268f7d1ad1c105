package dev.headroom.estimator.parallel.zero.flat;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.core.Joining;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Trained parameters as parts of one flat buffer, divided evenly among ranks
 * (deepspeed/runtime/zero/stage_1_and_2.py, DeepSpeedZeroOptimizer.__init__).
 */
final class FlatGroup {
    /** Elements to which a rank's part is aligned (nccl_start_alignment_factor). */
    private static final int ALIGNMENT = 2;

    private final EagerRuntime runtime;
    private final List<Tensor> ordered;
    private final int rank;
    private final Map<Tensor, List<Slice>> slices = new HashMap<>();
    private final long numel;
    private final long padding;
    private final long partition;
    private @Nullable Tensor flat;

    /**
     * The group of some parameters; it makes no memory yet.
     *
     * @param inTurns parameters are dealt to ranks one by one ({@code round_robin_gradients})
     */
    FlatGroup(EagerRuntime runtime, List<Tensor> parameters, int ranks, int rank, boolean inTurns) {
        this.runtime = runtime;
        this.rank = rank;
        this.ordered = inTurns ? dealt(parameters, ranks) : parameters;
        this.numel = parameters.stream().mapToLong(Tensor::numel).sum();
        long alignment = (long) ALIGNMENT * ranks;
        this.padding = (alignment - numel % alignment) % alignment;
        this.partition = (numel + padding) / ranks;
        long at = 0;
        for (Tensor p : ordered) {
            slices.put(p, slices(at, p.numel(), ranks));
            at += p.numel();
        }
    }

    /** _round_robin_reorder. */
    private static List<Tensor> dealt(List<Tensor> parameters, int ranks) {
        List<Tensor> out = new ArrayList<>();
        for (int first = 0; first < ranks; first++) {
            for (int i = first; i < parameters.size(); i += ranks) {
                out.add(parameters.get(i));
            }
        }
        return out;
    }

    /** initialize_gradient_partition. */
    private List<Slice> slices(long at, long size, int ranks) {
        List<Slice> out = new ArrayList<>(1);
        long end = at + size;
        for (int r = (int) (at / partition); r < ranks && (long) r * partition < Math.max(end, at + 1); r++) {
            long start = Math.max(0, r * partition - at);
            long next = Math.min(end, (r + 1) * partition) - at;
            out.add(new Slice(r, start, next - start));
        }
        return out;
    }

    /** Moves the parameters into the buffer: for a moment they are there twice. */
    void flatten() {
        try (Frame frame = runtime.frame()) {
            List<Tensor> parts = new ArrayList<>();
            for (Tensor p : ordered) {
                parts.add(runtime.reinterpret(p, new long[] {p.numel()}, new long[] {1}, p.offset()));
            }
            if (padding > 0) {
                parts.add(runtime.empty(type(), padding));
            }
            flat = runtime.hold(
                    parts.size() == 1 ? parts.get(0) : Joining.cat(runtime, 0, parts.toArray(Tensor[]::new)));
            runtime.setCategory(flat, Category.PARAMETERS);
            runtime.freeAll(parts);
        }
        long at = 0;
        for (Tensor p : ordered) {
            runtime.setData(p, flat, Shapes.contiguous(p.sizes()), at);
            at += p.numel();
        }
    }

    /** In the order of the buffer. */
    List<Tensor> parameters() {
        return ordered;
    }

    DType type() {
        return ordered.get(0).dtype();
    }

    /** Bytes of the buffer. */
    long bytes() {
        return (numel + padding) * type().bytes();
    }

    /** Elements of a rank's part. */
    long partition() {
        return partition;
    }

    /** The own part of the buffer, a local variable of the running frame. */
    Tensor ownPart() {
        return runtime.reinterpret(
                Objects.requireNonNull(flat), new long[] {partition}, new long[] {1}, rank * partition);
    }

    /** Who has what of a parameter, by rank. */
    List<Slice> slices(Tensor parameter) {
        return Objects.requireNonNull(slices.get(parameter));
    }

    /** What the own rank has of a parameter; {@code null} for nothing. */
    @Nullable
    Slice own(Tensor parameter) {
        return slices(parameter).stream()
                .filter(s -> s.rank() == rank)
                .findFirst()
                .orElse(null);
    }

    /** Parameters of which the own rank has something, in the order of the buffer. */
    List<Tensor> own() {
        return ordered.stream().filter(p -> own(p) != null).toList();
    }

    /** Elements of the own part behind the last parameter. */
    long ownPadding() {
        return partition
                - ordered.stream()
                        .map(this::own)
                        .filter(Objects::nonNull)
                        .mapToLong(Slice::numel)
                        .sum();
    }
}
