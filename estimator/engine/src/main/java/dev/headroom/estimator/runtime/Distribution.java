package dev.headroom.estimator.runtime;

import dev.headroom.model.plan.Placement;
import org.jspecify.annotations.Nullable;

/**
 * What makes a tensor the local part of a DTensor (torch/distributed/tensor/_api.py): where the other parts are. How
 * its gradients come is known only when something has read it.
 */
public final class Distribution {
    /** A group of ranks that share tensors, as one of them sees it. */
    public interface Ranks {
        /** How many. */
        int size();

        /** The own place among them. */
        int rank();

        /**
         * Lays a tensor out otherwise (torch/distributed/tensor/_redistribute.py, redistribute_local_tensor); not
         * recorded.
         *
         * @param local what the rank has of it
         * @param sizes of the whole tensor
         * @param asynchronous whether nobody waits for the result here: who reads it first does
         * @return a local variable of the running frame, or {@code local} itself
         */
        Tensor redistribute(Tensor local, Placement from, Placement to, long[] sizes, boolean asynchronous);
    }

    private final Ranks ranks;
    private final Placement placement;
    private final long[] sizes;
    private Placement gradient;
    private @Nullable Tensor mask;

    /**
     * A new one.
     *
     * @param placement with a dimension that counts from the front
     * @param sizes of the whole tensor
     */
    public Distribution(Ranks ranks, Placement placement, long... sizes) {
        this.ranks = ranks;
        this.placement = placement.of(sizes.length);
        this.sizes = sizes;
        this.gradient = this.placement.ofGradient();
    }

    public Ranks ranks() {
        return ranks;
    }

    public Placement placement() {
        return placement;
    }

    /** Of the whole tensor; do not change the array. */
    public long[] sizes() {
        return sizes;
    }

    /** How its gradients are laid out. */
    public Placement gradient() {
        return gradient;
    }

    /** Something has read the tensor that gives gradients of such a layout. */
    public void gradientsCome(Placement layout) {
        gradient = layout.of(sizes.length);
    }

    /** Marks the rows of an embedding that the rank does not have; {@code null} where there are none. */
    public @Nullable Tensor mask() {
        return mask;
    }

    /** @param held with a reference that passes over */
    public void setMask(@Nullable Tensor held) {
        mask = held;
    }

    /** Makes a tensor that was computed from a part, element by element or as a view, a part as well. */
    public static void pass(Tensor from, Tensor to) {
        Distribution of = from.distribution();
        if (of == null || to == null || to == from) {
            return;
        }
        Placement placement = of.placement;
        long[] whole = to.sizes().clone();
        if (placement.isShard()) {
            int fromEnd = from.dim() - placement.dim();
            int dim = fromEnd == 1 ? to.dim() - 1 : placement.dim();
            if (dim < 0 || to.dim() <= dim || to.size(dim) != from.size(placement.dim())) {
                return; // reduced: what it is a part of cannot be told from sizes
            }
            placement = Placement.shard(dim);
            whole[dim] = of.sizes[of.placement.dim()];
        }
        to.setDistribution(new Distribution(of.ranks, placement, whole));
    }

    /** Sizes of the local part of a gradient of a tensor whose own part has these sizes. */
    long[] gradientSizes(long[] local) {
        return gradient.isShard() && gradient.equals(placement) ? local : sizes;
    }
}
