package dev.headroom.executor.parallel.fsdp2;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.parallel.Collectives;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Averages a unit's gradients over all ranks, of which each gets its rows (_fsdp_collectives.py, foreach_reduce). */
final class GradientReduction {
    private static final Formula DIVIDE = new Formula("fsdp_divide", "y0 = x0 / s0;", (x, s, y) -> y[0] = x[0] / s[0]);

    private final Communication shared;
    private final Eager eager;
    private final Collectives shards;
    private final @Nullable Collectives replicas;

    /** @param replicas ranks with the same rows; {@code null} for none */
    GradientReduction(Communication shared, Collectives shards, @Nullable Collectives replicas) {
        this.shared = shared;
        this.eager = shared.eager;
        this.shards = shards;
        this.replicas = replicas;
    }

    /**
     * Reduces gradients.
     *
     * @param gradients with a reference each that passes over
     * @param reduceType {@code null} for the gradients' own
     * @return what ranks with the same rows have summed, with a reference for the caller; {@code null} without them
     */
    @Nullable
    Tensor reduce(List<ShardedParameter> parameters, List<Tensor> gradients, @Nullable DType reduceType) {
        DType type = reduceType == null ? gradients.get(0).dtype() : reduceType;
        int ranks = shards.group().size();
        try (Scope s = eager.open()) {
            if (ranks > 1) { // the loop over dimensions leaves its variable behind
                eager.adopt(eager.hold(gradients.get(gradients.size() - 1)));
            }
            Tensor input = copyIn(parameters, gradients, type);
            shared.reducing(eager.hold(input));
            int before = eager.setStream(Communication.SCATTER);
            try {
                return scatter(parameters, input, input.elements() / ranks);
            } finally {
                eager.setStream(before);
            }
        }
    }

    /** Sums that may overflow are divided before and after (_get_gradient_divide_factors). */
    private static double divisorBefore(double ranks) {
        double out = 1;
        while (ranks % out == 0 && ranks / out > out) {
            out *= 2;
        }
        return out;
    }

    private @Nullable Tensor scatter(List<ShardedParameter> parameters, Tensor input, long elements) {
        int ranks = shards.group().size();
        double all = ranks * (replicas == null ? 1.0 : replicas.group().size());
        boolean overflows = input.dtype() == DType.FLOAT16;
        double first = overflows ? divisorBefore(all) : 1;
        Tensor output = eager.empty(input.dtype(), elements);
        divide(input, first);
        if (ranks > 1) {
            shards.reduceScatter(output, input, overflows ? 1 : ranks);
        } else {
            Copies.fill(eager, output, input);
        }
        Tensor summed = null;
        if (replicas != null) {
            eager.setStream(Communication.REDUCE);
            replicas.allReduce(output, overflows ? 1 : replicas.group().size());
            summed = eager.hold(output);
        }
        divide(output, overflows ? all / first : 1);
        DType own = parameters.get(0).sharded().dtype();
        Tensor reduced = output;
        if (own != output.dtype()) {
            reduced = eager.emptyLike(output, own);
            Copies.fill(eager, reduced, output);
            eager.free(output);
        }
        handOut(parameters, reduced);
        return summed;
    }

    private void divide(Tensor t, double divisor) {
        if (divisor != 1) {
            Elementwise.into(eager, DIVIDE, new double[] {divisor}, t, t);
        }
    }

    private void handOut(List<ShardedParameter> parameters, Tensor reduced) {
        long offset = 0;
        for (ShardedParameter p : parameters) {
            try (Scope s = eager.open()) {
                Tensor mine = p.shardOf(reduced, offset);
                Tensor before = p.sharded().grad();
                if (before == null) {
                    eager.setGrad(p.sharded(), mine);
                } else if (mine.elements() > 0) {
                    Elementwise.into(eager, Elementwise.ADD, before, before, mine);
                }
            }
            offset += p.partElements();
        }
    }

    /** A chunk for each rank, in which all gradients have their rows of the rank; gradients go. */
    private Tensor copyIn(List<ShardedParameter> parameters, List<Tensor> gradients, DType type) {
        int ranks = shards.group().size();
        long chunk =
                parameters.stream().mapToLong(ShardedParameter::partElements).sum();
        DType given = gradients.get(0).dtype();
        Tensor input = eager.empty(type, chunk * ranks);
        try (Scope s = eager.open()) {
            if (given == type || given == DType.BFLOAT16 && type == DType.FLOAT32) {
                PackedPlaces.ofChunks(
                        eager,
                        parameters.stream()
                                .mapToLong(p -> p.partElements() * type.bytes())
                                .toArray());
            } else {
                padded(parameters, gradients);
            }
            long offset = 0;
            for (int i = 0; i < gradients.size(); i++) {
                for (int rank = 0; rank < ranks; rank++) {
                    copyRows(parameters.get(i), gradients.get(i), rank, input, rank * chunk + offset);
                }
                offset += parameters.get(i).partElements();
            }
        }
        for (int i = gradients.size() - 1; i >= 0; i--) {
            eager.release(gradients.get(i));
        }
        gradients.clear();
        return input;
    }

    /** Without a kernel for the types, what cannot be divided is padded first (ATen/native/TensorShape.cpp). */
    private void padded(List<ShardedParameter> parameters, List<Tensor> gradients) {
        for (int i = 0; i < gradients.size(); i++) {
            long whole = parameters.get(i).paddedElements();
            if (whole != gradients.get(i).elements()) {
                eager.empty(gradients.get(i).dtype(), whole);
            }
        }
    }

    private void copyRows(ShardedParameter p, Tensor gradient, int rank, Tensor into, long offset) {
        long[] rows = p.rowsOf(rank);
        try (Scope s = eager.open()) {
            Tensor place = eager.alias(into, new long[] {p.partElements()}, new long[] {1}, offset);
            Elementwise.fill(eager, place, 0);
            if (rows[1] > 0) {
                Copies.fill(eager, p.rowsIn(into, offset, rows[1]), p.rowsOf(gradient, rows[0], rows[1]));
            }
        }
    }
}
