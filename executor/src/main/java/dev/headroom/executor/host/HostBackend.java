package dev.headroom.executor.host;

import dev.headroom.allocator.DeviceMemory;
import dev.headroom.executor.kernel.AttentionKernels;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.ConvolutionKernels;
import dev.headroom.executor.kernel.ElementwiseKernels;
import dev.headroom.executor.kernel.IndexingKernels;
import dev.headroom.executor.kernel.MatrixKernels;
import dev.headroom.executor.kernel.NormalizationKernels;
import dev.headroom.executor.kernel.PoolingKernels;
import dev.headroom.executor.kernel.RandomKernels;
import dev.headroom.executor.kernel.RecurrentKernels;
import dev.headroom.executor.kernel.ReductionKernels;
import dev.headroom.executor.kernel.SoftmaxKernels;
import dev.headroom.executor.kernel.VolumeKernels;
import dev.headroom.executor.tensor.Tensor;

/** Runs kernels in plain Java over host memory. */
public final class HostBackend implements Backend {
    private final HostMemory memory;
    private final HostArrays arrays;

    /** @param total bytes of the nominal device */
    public HostBackend(long total) {
        this(total, 0);
    }

    /**
     * @param total bytes of the nominal device
     * @param inUse bytes of it that are taken by others
     */
    public HostBackend(long total, long inUse) {
        memory = new HostMemory(total, inUse);
        arrays = new HostArrays(memory);
    }

    @Override
    public String name() {
        return "host";
    }

    @Override
    public DeviceMemory memory() {
        return memory;
    }

    /** Segments of its memory that are taken. */
    public int segments() {
        return memory.segments();
    }

    @Override
    public ElementwiseKernels elementwise() {
        return new HostElementwise(arrays);
    }

    @Override
    public ReductionKernels reductions() {
        return new HostReductions(arrays);
    }

    @Override
    public MatrixKernels matrices() {
        return new HostMatrices(arrays);
    }

    @Override
    public ConvolutionKernels convolutions() {
        return new HostConvolutions(arrays);
    }

    @Override
    public NormalizationKernels normalizations() {
        return new HostNormalizations(arrays);
    }

    @Override
    public PoolingKernels poolings() {
        return new HostPoolings(arrays);
    }

    @Override
    public VolumeKernels volumes() {
        return new HostVolumes(arrays);
    }

    @Override
    public SoftmaxKernels softmaxes() {
        return new HostSoftmaxes(arrays);
    }

    @Override
    public AttentionKernels attention() {
        return new HostAttention(arrays);
    }

    @Override
    public IndexingKernels indexing() {
        return new HostIndexing(arrays);
    }

    @Override
    public RandomKernels random() {
        return new HostRandom(arrays);
    }

    @Override
    public RecurrentKernels recurrent() {
        return new HostRecurrent(arrays);
    }

    @Override
    public double[] read(Tensor t) {
        return arrays.read(t);
    }

    @Override
    public void write(Tensor t, double[] values) {
        arrays.write(t, values);
    }

    @Override
    public void close() {
        // its memory goes with it
    }
}
