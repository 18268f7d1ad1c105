package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.cuda.runtime.LaunchShape;
import dev.headroom.executor.kernel.RandomKernels;
import dev.headroom.executor.tensor.Tensor;

/** Draws the host backend's numbers. */
public final class CudaRandom implements RandomKernels {
    private final KernelFiles kernels;

    public CudaRandom(KernelFiles kernels) {
        this.kernels = kernels;
    }

    @Override
    public void uniform(Tensor result, double from, double to, long seed) {
        kernels.kernel("random", "uniform", result.dtype())
                .launch(
                        LaunchShape.elements(result.elements()),
                        result.elements(),
                        DeviceView.of(result),
                        from,
                        to,
                        seed);
    }

    @Override
    public void normal(Tensor result, double mean, double deviation, long seed) {
        kernels.kernel("random", "normal", result.dtype())
                .launch(
                        LaunchShape.elements(result.elements()),
                        result.elements(),
                        DeviceView.of(result),
                        mean,
                        deviation,
                        seed);
    }

    @Override
    public void bernoulli(Tensor result, double probability, long seed) {
        kernels.kernel("random", "bernoulli", result.dtype())
                .launch(
                        LaunchShape.elements(result.elements()),
                        result.elements(),
                        DeviceView.of(result),
                        probability,
                        seed);
    }
}
