package dev.headroom.executor.tensor;

import dev.headroom.model.graph.DType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A view of a storage, with its place in the autograd graph. Reference counted: whoever keeps one beyond the operator
 * that it was handed to holds a reference ({@link TensorMemory#hold}).
 */
public final class Tensor {
    private Storage storage;
    private DType dtype;
    private final long[] sizes;
    private final long[] strides;
    private final long offset;
    private final double number;
    private final boolean onDevice;

    int references;

    @Nullable
    Scope scope;

    @Nullable
    Tensor base;

    @Nullable
    Tensor rows;

    private boolean leafRequiresGrad;
    private @Nullable GradientNode gradNode;
    private int recordedVersion;
    private int resultNumber;
    private @Nullable Tensor grad;
    private @Nullable GradientNode accumulator;

    Tensor(Storage storage, DType dtype, long[] sizes, long[] strides, long offset) {
        this.storage = storage;
        this.dtype = dtype;
        this.sizes = sizes;
        this.strides = strides;
        this.offset = offset;
        this.number = 0;
        this.onDevice = true;
        this.recordedVersion = storage.version();
        storage.share();
    }

    /** Puts other memory under the tensor; who calls it counts the references. */
    void setMemory(Storage other, DType type) {
        storage = other;
        dtype = type;
    }

    /** A scalar in host memory. */
    private Tensor(DType dtype, double number) {
        this.storage = new Storage(0);
        this.dtype = dtype;
        this.sizes = new long[0];
        this.strides = new long[0];
        this.offset = 0;
        this.number = number;
        this.onDevice = false;
        this.references = 1;
        storage.share();
    }

    /** A scalar in host memory, as literals of a program are: it takes none of the device's. */
    public static Tensor number(DType dtype, double value) {
        return new Tensor(dtype, value);
    }

    /** The value of a scalar in host memory. */
    public double number() {
        return number;
    }

    /** Whether the elements are in the device's memory. */
    public boolean onDevice() {
        return onDevice;
    }

    public Storage storage() {
        return storage;
    }

    public DType dtype() {
        return dtype;
    }

    /** Not to be changed. */
    public long[] sizes() {
        return sizes;
    }

    /** In elements; not to be changed. */
    public long[] strides() {
        return strides;
    }

    /** Of the first element in the storage, in elements. */
    public long offset() {
        return offset;
    }

    /** Number of dimensions. */
    public int dims() {
        return sizes.length;
    }

    /** @param dim may count from the end */
    public long size(int dim) {
        return sizes[Layout.dimension(dim, sizes.length)];
    }

    /** @param dim may count from the end */
    public long stride(int dim) {
        return strides[Layout.dimension(dim, sizes.length)];
    }

    /** Number of elements. */
    public long elements() {
        return Layout.elements(sizes);
    }

    /** Address of the first element. */
    public long address() {
        return storage.address() + offset * dtype.bytes();
    }

    public boolean isContiguous() {
        return Layout.isContiguous(sizes, strides);
    }

    /** References to this very tensor ({@code TensorImpl::use_count}). */
    public int references() {
        return references;
    }

    /** The tensor that this is an autograd view of, or {@code null}. */
    public @Nullable Tensor base() {
        return base;
    }

    /** Of a sparse gradient of a table, which is its values: the rows that they belong to; {@code null} if dense. */
    public @Nullable Tensor rows() {
        return rows;
    }

    /** Whether a backward pass brings it a gradient. */
    public boolean requiresGrad() {
        return leafRequiresGrad || gradNode != null;
    }

    /** Whether no operator made it, or none that was recorded. */
    public boolean isLeaf() {
        return gradNode == null;
    }

    /** {@code requires_grad_()} of a leaf. */
    public void requireGrad(boolean value) {
        leafRequiresGrad = value;
    }

    /** The node that passes its gradient on, or {@code null} for a leaf. */
    public @Nullable GradientNode gradNode() {
        return gradNode;
    }

    /** Of a view: the version of its storage that its history belongs to. */
    public int recordedVersion() {
        return recordedVersion;
    }

    public void recordedAt(int version) {
        recordedVersion = version;
    }

    /** Which of its node's results it is. */
    public int resultNumber() {
        return resultNumber;
    }

    /** Sets the history; the caller handles the node's reference count. */
    public void setHistory(@Nullable GradientNode node, int number) {
        gradNode = node;
        resultNumber = number;
    }

    /** {@code .grad}, or {@code null}. */
    public @Nullable Tensor grad() {
        return grad;
    }

    /** {@code .grad} of a tensor that has one. */
    public Tensor givenGrad() {
        return Objects.requireNonNull(grad, "a gradient");
    }

    void setGrad(@Nullable Tensor value) {
        grad = value;
    }

    /** A leaf's node that collects its gradient, while a graph refers to it, else {@code null}. */
    public @Nullable GradientNode accumulator() {
        return accumulator;
    }

    public void setAccumulator(@Nullable GradientNode node) {
        accumulator = node;
    }
}
