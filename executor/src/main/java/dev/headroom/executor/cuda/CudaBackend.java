package dev.headroom.executor.cuda;

import dev.headroom.executor.cuda.driver.Cleanup;
import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.driver.CudaMemory;
import dev.headroom.executor.cuda.kernel.CudaAttention;
import dev.headroom.executor.cuda.kernel.CudaElementwise;
import dev.headroom.executor.cuda.kernel.CudaIndexing;
import dev.headroom.executor.cuda.kernel.CudaPoolings;
import dev.headroom.executor.cuda.kernel.CudaRandom;
import dev.headroom.executor.cuda.kernel.CudaReductions;
import dev.headroom.executor.cuda.kernel.CudaSoftmaxes;
import dev.headroom.executor.cuda.kernel.CudaVolumes;
import dev.headroom.executor.cuda.kernel.DeviceValues;
import dev.headroom.executor.cuda.kernel.KernelFiles;
import dev.headroom.executor.cuda.library.CudaConvolutions;
import dev.headroom.executor.cuda.library.CudaMatrices;
import dev.headroom.executor.cuda.library.CudaNormalizations;
import dev.headroom.executor.cuda.library.CudaRecurrent;
import dev.headroom.executor.cuda.runtime.CudaContext;
import dev.headroom.executor.cuda.runtime.DeviceUse;
import dev.headroom.executor.kernel.AttentionKernels;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.ConvolutionKernels;
import dev.headroom.executor.kernel.DeviceMeter;
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

/**
 * Runs kernels on an NVIDIA GPU: cuBLAS, cuDNN, and CUDA C compiled by NVRTC. All work goes to the default stream, one
 * kernel behind another; {@link #read} waits for it. To be used by the thread that opened it.
 */
public final class CudaBackend implements Backend, DeviceMeter {
    private final CudaContext context;
    private final CudaElementwise elementwise;
    private final CudaReductions reductions;
    private final CudaMatrices matrices;
    private final CudaConvolutions convolutions;
    private final CudaNormalizations normalizations;
    private final CudaPoolings poolings;
    private final CudaVolumes volumes;
    private final CudaSoftmaxes softmaxes;
    private final CudaAttention attention;
    private final CudaIndexing indexing;
    private final CudaRandom random;
    private final CudaRecurrent recurrent;

    /**
     * Opens a device.
     *
     * @param device the index, as CUDA counts
     * @throws CudaException when there is none or a library is missing
     */
    public static CudaBackend open(int device) {
        return new CudaBackend(CudaContext.open(device));
    }

    /** @param context to be closed with the backend */
    public CudaBackend(CudaContext context) {
        this.context = context;
        KernelFiles kernels = new KernelFiles(context);
        elementwise = new CudaElementwise(context);
        reductions = new CudaReductions(kernels);
        matrices = new CudaMatrices(context, kernels);
        convolutions = new CudaConvolutions(context, kernels);
        normalizations = new CudaNormalizations(context, kernels);
        poolings = new CudaPoolings(kernels);
        volumes = new CudaVolumes(kernels);
        softmaxes = new CudaSoftmaxes(kernels);
        attention = new CudaAttention(kernels);
        indexing = new CudaIndexing(kernels);
        random = new CudaRandom(kernels);
        recurrent = new CudaRecurrent(context, kernels);
    }

    @Override
    public String name() {
        return "cuda";
    }

    /** The device that it runs on. */
    public CudaContext context() {
        return context;
    }

    @Override
    public CudaMemory memory() {
        return context.memory();
    }

    @Override
    public ElementwiseKernels elementwise() {
        return elementwise;
    }

    @Override
    public ReductionKernels reductions() {
        return reductions;
    }

    @Override
    public MatrixKernels matrices() {
        return matrices;
    }

    @Override
    public ConvolutionKernels convolutions() {
        return convolutions;
    }

    @Override
    public NormalizationKernels normalizations() {
        return normalizations;
    }

    @Override
    public PoolingKernels poolings() {
        return poolings;
    }

    @Override
    public VolumeKernels volumes() {
        return volumes;
    }

    @Override
    public SoftmaxKernels softmaxes() {
        return softmaxes;
    }

    @Override
    public AttentionKernels attention() {
        return attention;
    }

    @Override
    public IndexingKernels indexing() {
        return indexing;
    }

    @Override
    public RandomKernels random() {
        return random;
    }

    @Override
    public RecurrentKernels recurrent() {
        return recurrent;
    }

    @Override
    public double[] read(Tensor t) {
        context.synchronize();
        return DeviceValues.read(t);
    }

    @Override
    public void write(Tensor t, double[] values) {
        context.synchronize();
        DeviceValues.write(t, values);
    }

    @Override
    public Reading beforeContext() {
        return reading(context.before());
    }

    @Override
    public Reading afterContext() {
        return reading(context.after());
    }

    @Override
    public Reading now() {
        return reading(context.use());
    }

    private static Reading reading(DeviceUse use) {
        return new Reading(use.free(), use.used(), use.process());
    }

    @Override
    public void close() {
        Cleanup cleanup = new Cleanup();
        cleanup.run(matrices::close);
        cleanup.run(convolutions::close);
        cleanup.run(recurrent::close);
        cleanup.run(context::close);
        cleanup.finish();
    }
}
