package dev.headroom.estimator.runtime;

import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.repeat.Part;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A tensor without data: sizes and strides over a {@link Storage}, and what autograd knows of it. Reference counted as
 * PyTorch's TensorImpl is, because counts decide what autograd may reuse in place.
 */
public final class Tensor extends Part {
    private static final Tensor[] NO_ITEMS = {};

    private Storage storage;
    private DType dtype;
    private final long[] sizes;
    private long[] strides;
    private long offset;
    private int refs;
    private @Nullable Tensor indices;
    private Tensor[] items = NO_ITEMS;

    /** Position in the frame that holds a reference to it, or -1. */
    int frameSlot = -1;

    @Nullable
    Frame frame;

    private boolean leafRequiresGrad;
    private @Nullable GradNode gradNode;
    private int outputNumber;
    private @Nullable Tensor grad;
    private @Nullable GradNode accumulator;
    private @Nullable Tensor base;

    /** Of a leaf: the hooks of whichever node accumulates its gradients; {@code null} for none. */
    @Nullable
    NodeHooks leafHooks;

    /** Of a view: the version of its storage that its history is of. */
    int historyVersion;

    private @Nullable Distribution distribution;
    private boolean wrappedNumber;

    Tensor(Storage storage, DType dtype, long[] sizes, long[] strides, long offset) {
        this.storage = storage;
        this.dtype = dtype;
        this.sizes = sizes;
        this.strides = strides;
        this.offset = offset;
        storage.hold();
    }

    public Storage storage() {
        return storage;
    }

    public DType dtype() {
        return dtype;
    }

    /** Do not change the array. */
    public long[] sizes() {
        return sizes;
    }

    /** Do not change the array. */
    public long[] strides() {
        return strides;
    }

    public long offset() {
        return offset;
    }

    public int dim() {
        return sizes.length;
    }

    /** Size of a dimension; negative ones count from the end. */
    public long size(int dim) {
        return sizes[dim < 0 ? dim + sizes.length : dim];
    }

    public long stride(int dim) {
        return strides[dim < 0 ? dim + strides.length : dim];
    }

    public long numel() {
        return Shapes.numel(sizes);
    }

    /** Bytes of its elements (not of its storage). */
    public long nbytes() {
        return numel() * dtype.bytes();
    }

    public boolean isContiguous() {
        return Shapes.isContiguous(sizes, strides);
    }

    public boolean isNonOverlappingAndDense() {
        return Shapes.isNonOverlappingAndDense(sizes, strides);
    }

    /** Whether a gradient flows to it. */
    public boolean requiresGrad() {
        return leafRequiresGrad || gradNode != null || base != null && hasStaleHistory() && base.requiresGrad();
    }

    /** What PyTorch answers for a view that was made while no gradients were recorded: as its base. */
    public boolean requiresGradAsView() {
        return requiresGrad() || base != null && base.requiresGrad();
    }

    public boolean isLeaf() {
        return gradNode == null;
    }

    /** The node that made it, or {@code null} for a leaf. */
    public @Nullable GradNode gradNode() {
        return gradNode;
    }

    public int outputNumber() {
        return outputNumber;
    }

    /** PyTorch's {@code .grad}. */
    public @Nullable Tensor grad() {
        return grad;
    }

    /** PyTorch's {@code use_count()}, references of the running operator's frame included. */
    public int useCount() {
        return refs;
    }

    /** Where the other parts are of what this is a part of; {@code null} for a tensor that is whole. */
    public @Nullable Distribution distribution() {
        return distribution;
    }

    /** Where the other parts are, of a tensor that is a part. */
    public Distribution givenDistribution() {
        return Objects.requireNonNull(distribution, "a part of a tensor");
    }

    /** Makes it a part: gradients are those of a tensor subclass, which autograd never sums in place. */
    public void setDistribution(@Nullable Distribution of) {
        distribution = of;
        if (of != null && gradNode != null) {
            gradNode.setWrapped(outputNumber);
        }
    }

    /** The sizes that its gradients have. */
    public long[] gradientSizes() {
        return distribution == null ? sizes : distribution.gradientSizes(sizes);
    }

    /**
     * The rows that a sparse gradient has values for; {@code null} for a dense tensor. The tensor itself is its values,
     * a row an index, and keeps them.
     */
    public @Nullable Tensor indices() {
        return indices;
    }

    /** Makes this the values of a sparse gradient: it holds the indices of its rows from now on. */
    public Tensor sparse(Tensor rows) {
        rows.incrementRefs();
        indices = rows;
        return this;
    }

    /** The reference to the indices, for who lets go of the tensor. */
    @Nullable
    Tensor takeIndices() {
        Tensor taken = indices;
        indices = null;
        return taken;
    }

    /** Makes this, of no elements that matter, stand for a Python list, which keeps its items. */
    public Tensor listing(Tensor... all) {
        for (Tensor t : all) {
            t.incrementRefs();
        }
        items = all;
        return this;
    }

    /** What the list holds that this stands for. Do not change the array. */
    public Tensor[] items() {
        return items;
    }

    /** The references to the items, for who lets go of the list. */
    Tensor[] takeItems() {
        Tensor[] taken = items;
        items = NO_ITEMS;
        return taken;
    }

    /** The reference to the base, for who lets go of the tensor. */
    @Nullable
    Tensor takeBase() {
        Tensor taken = base();
        setBase(null);
        return taken;
    }

    /** False for a tensor in host memory, which takes none of the GPU's. */
    public boolean onDevice() {
        return !storage.onHost;
    }

    /** A Python number in tensor form: takes part in arithmetic without raising the type of the result. */
    public boolean isWrappedNumber() {
        return wrappedNumber;
    }

    /** Puts other memory under the tensor. The caller lets go of what was there. */
    void setMemory(Storage other, DType otherType, long[] otherStrides, long otherOffset) {
        dtype = otherType;
        other.hold();
        storage = other;
        strides = otherStrides;
        offset = otherOffset;
    }

    void setWrappedNumber() {
        wrappedNumber = true;
    }

    void setLeafRequiresGrad(boolean value) {
        leafRequiresGrad = value;
    }

    void setHistory(@Nullable GradNode node, int output) {
        gradNode = node;
        outputNumber = output;
    }

    /** {@code detach_()}: a leaf that requires no gradient. */
    public void detachInPlace(EagerRuntime runtime) {
        GradNode node = gradNode;
        setHistory(null, 0);
        setLeafRequiresGrad(false);
        runtime.tape().release(node);
    }

    void setGradField(@Nullable Tensor value) {
        grad = value;
    }

    /** The tensor that this one is a view of, which it keeps alive; {@code null} for no view. */
    @Nullable
    Tensor base() {
        return base;
    }

    /** {@code _is_view()}. */
    public boolean isView() {
        return base != null;
    }

    void setBase(@Nullable Tensor value) {
        base = value;
    }

    /** Whether this is a view whose base was written to since its history was made. */
    boolean hasStaleHistory() {
        return base != null && historyVersion != storage.version;
    }

    @Nullable
    GradNode accumulatorField() {
        return accumulator;
    }

    void setAccumulator(@Nullable GradNode node) {
        accumulator = node;
    }

    @Override
    protected void describe(Beginning to) {
        int flags = (leafRequiresGrad ? 1 : 0) + (wrappedNumber ? 2 : 0) + (hasStaleHistory() ? 4 : 0);
        to.number(flags + (dtype.ordinal() << 3));
        to.constant(sizes);
        to.constant(strides);
        to.number(offset);
        to.number(refs);
        to.number(outputNumber);
        to.part(storage);
        to.part(base);
        to.part(grad);
        to.part(gradNode);
        to.part(accumulator);
        // Sparse gradients, lists, hooks and parts of distributed tensors have more to say.
        to.unknownIf(frame != null || indices != null || items.length > 0 || leafHooks != null || distribution != null);
    }

    void incrementRefs() {
        refs++;
    }

    int decrementRefs() {
        return --refs;
    }
}
