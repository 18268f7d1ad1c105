package dev.headroom.executor.kernel;

import dev.headroom.allocator.DeviceMemory;
import dev.headroom.executor.tensor.Tensor;

/** A device with its memory and its kernels. */
public interface Backend extends AutoCloseable {
    /** Such as {@code host} or {@code cuda}. */
    String name();

    /** Whether its kernels do anything: memory can be measured without. */
    default boolean computes() {
        return true;
    }

    /** The memory that tensors live in. */
    DeviceMemory memory();

    ElementwiseKernels elementwise();

    ReductionKernels reductions();

    MatrixKernels matrices();

    ConvolutionKernels convolutions();

    NormalizationKernels normalizations();

    PoolingKernels poolings();

    VolumeKernels volumes();

    SoftmaxKernels softmaxes();

    AttentionKernels attention();

    IndexingKernels indexing();

    RandomKernels random();

    RecurrentKernels recurrent();

    default ExchangeKernels exchange() {
        return ExchangeKernels.through(this);
    }

    /** The values of a tensor in row-major order; waits for kernels. */
    double[] read(Tensor t);

    /**
     * Sets the values of a tensor, rounded to its type.
     *
     * @param values in row-major order
     */
    void write(Tensor t, double[] values);

    @Override
    void close();
}
