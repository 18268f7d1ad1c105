package dev.headroom.executor.cuda;

import dev.headroom.executor.kernel.NormalizationKernels;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/** Normalisation by kernels of the project's own and, where PyTorch takes cuDNN's, by cuDNN. */
final class CudaNormalizations implements NormalizationKernels {
    /** Columns of a block and the threads that share one, where columns are summed up. */
    private static final int COLUMNS = 32;

    private static final int SHARING = 8;

    private final KernelFiles kernels;
    private final DnnBatchNorm dnn;

    CudaNormalizations(CudaContext context, KernelFiles kernels) {
        this.kernels = kernels;
        this.dnn = new DnnBatchNorm(context);
    }

    @Override
    public long batchNormReserveBytes(Tensor x) {
        return dnn.reserveBytes(x);
    }

    @Override
    public long batchNormWorkspaceBytes(Tensor x, boolean backward) {
        return dnn.workspaceBytes(x, backward);
    }

    /** Types of data, weights, statistics of the batch, and running statistics; what is missing is as something there. */
    private CudaKernel kernel(String name, Tensor data, Tensor weight, Tensor statistics, Tensor running) {
        DType batch = statistics == null ? running.dtype() : statistics.dtype();
        DType map = weight == null ? batch : weight.dtype();
        return kernels.kernel(
                "normalizations", name, data.dtype(), map, batch, running == null ? batch : running.dtype());
    }

    private static Tensor either(Tensor a, Tensor b) {
        return a == null ? b : a;
    }

    @Override
    public void batchNorm(
            Tensor out,
            Tensor x,
            Tensor weight,
            Tensor bias,
            Tensor runningMean,
            Tensor runningVariance,
            Tensor mean,
            Tensor invstd,
            double momentum,
            double epsilon,
            Library library) {
        if (library != null && x.elements() > 0) {
            dnn.forward(
                    out,
                    x,
                    new DnnBatchNorm.Channels(weight, bias, runningMean, runningVariance, mean, invstd),
                    momentum,
                    library);
            return;
        }
        ChannelViews c = ChannelViews.of(out, x);
        kernel("batch_norm", x, either(weight, bias), mean, runningMean)
                .launch(
                        c.shape(),
                        c.length(),
                        c.view(0),
                        c.view(1),
                        DeviceView.address(weight),
                        DeviceView.address(bias),
                        DeviceView.address(runningMean),
                        DeviceView.address(runningVariance),
                        mean.address(),
                        invstd.address(),
                        momentum,
                        epsilon);
    }

    @Override
    public void batchNormEvaluation(
            Tensor out, Tensor x, Tensor weight, Tensor bias, Tensor mean, Tensor variance, double epsilon) {
        ChannelViews c = ChannelViews.of(out, x);
        kernel("batch_norm_evaluation", x, either(weight, bias), null, mean)
                .launch(
                        c.shape(),
                        c.length(),
                        c.view(0),
                        c.view(1),
                        DeviceView.address(weight),
                        DeviceView.address(bias),
                        mean.address(),
                        variance.address(),
                        epsilon);
    }

    @Override
    public void batchNormBackward(
            Tensor gradX,
            Tensor gradWeight,
            Tensor gradBias,
            Tensor g,
            Tensor x,
            Tensor weight,
            Tensor mean,
            Tensor invstd,
            Library library) {
        if (library != null && x.elements() > 0) {
            dnn.backward(gradX, new Tensor[] {gradWeight, gradBias}, g, x, weight, mean, invstd, library);
            return;
        }
        backward(new Tensor[] {gradX, gradWeight, gradBias}, g, x, weight, mean, invstd, false, 0);
    }

    @Override
    public void batchNormEvaluationBackward(
            Tensor gradX,
            Tensor gradWeight,
            Tensor gradBias,
            Tensor g,
            Tensor x,
            Tensor weight,
            Tensor mean,
            Tensor variance,
            double epsilon) {
        backward(new Tensor[] {gradX, gradWeight, gradBias}, g, x, weight, mean, variance, true, epsilon);
    }

    /** @param evaluated whether the statistics were given, and the second one is a variance */
    private void backward(
            Tensor[] gradients,
            Tensor g,
            Tensor x,
            Tensor weight,
            Tensor mean,
            Tensor spread,
            boolean evaluated,
            double epsilon) {
        ChannelViews c = ChannelViews.of(gradients[0], g, x);
        Tensor map = either(weight, either(gradients[1], gradients[2]));
        kernel("batch_norm_backward", x, map, mean, null)
                .launch(
                        c.shape(),
                        c.length(),
                        c.view(0),
                        DeviceView.address(gradients[1]),
                        DeviceView.address(gradients[2]),
                        c.view(1),
                        c.view(2),
                        DeviceView.address(weight),
                        mean.address(),
                        spread.address(),
                        evaluated ? 1 : 0,
                        epsilon,
                        evaluated ? 1 : 0);
    }

    @Override
    public void groupNorm(
            Tensor out, Tensor x, Tensor weight, Tensor bias, Tensor mean, Tensor rstd, int groups, double epsilon) {
        long lines = mean.elements();
        if (x.elements() == 0) {
            return;
        }
        kernel("group_norm", x, either(weight, bias), mean, null)
                .launch(
                        LaunchShape.lines(lines, x.elements() / lines),
                        x.size(1),
                        (long) groups,
                        x.elements() / x.size(0) / x.size(1),
                        DeviceView.of(out),
                        DeviceView.of(x),
                        DeviceView.address(weight),
                        DeviceView.address(bias),
                        mean.address(),
                        rstd.address(),
                        epsilon);
    }

    @Override
    public void groupNormBackward(
            Tensor gradX,
            Tensor gradWeight,
            Tensor gradBias,
            Tensor g,
            Tensor x,
            Tensor weight,
            Tensor mean,
            Tensor rstd,
            int groups) {
        long lines = mean.elements();
        if (x.elements() == 0) {
            return;
        }
        long plane = x.elements() / x.size(0) / x.size(1);
        Tensor map = either(weight, either(gradWeight, gradBias));
        if (gradX != null) {
            kernel("group_norm_backward", x, map, mean, null)
                    .launch(
                            LaunchShape.lines(lines, x.elements() / lines),
                            x.size(1),
                            (long) groups,
                            plane,
                            DeviceView.of(gradX),
                            DeviceView.of(g),
                            DeviceView.of(x),
                            DeviceView.address(weight),
                            mean.address(),
                            rstd.address());
        }
        if (gradWeight != null || gradBias != null) {
            kernel("group_norm_weight_backward", x, map, mean, null)
                    .launch(
                            LaunchShape.lines(x.size(1), x.size(0) * plane),
                            x.size(0),
                            x.size(1),
                            (long) groups,
                            plane,
                            DeviceView.address(gradWeight),
                            DeviceView.address(gradBias),
                            DeviceView.of(g),
                            DeviceView.of(x),
                            mean.address(),
                            rstd.address());
        }
    }

    @Override
    public void layerNorm(
            Tensor result, Tensor mean, Tensor rstd, Tensor x, Tensor weight, Tensor bias, double epsilon) {
        kernel("layer_norm", x, either(weight, bias), mean, null)
                .launch(
                        LaunchShape.lines(x.elements() == 0 ? 0 : x.size(0), x.size(1)),
                        x.size(1),
                        result.address(),
                        mean.address(),
                        rstd.address(),
                        x.address(),
                        DeviceView.address(weight),
                        DeviceView.address(bias),
                        epsilon);
    }

    @Override
    public void layerNormGradient(
            Tensor dx, Tensor dweight, Tensor dbias, Tensor g, Tensor x, Tensor mean, Tensor rstd, Tensor weight) {
        Tensor map = either(weight, either(dweight, dbias));
        long rows = x.size(0);
        long n = x.size(1);
        if (dx != null) {
            kernel("layer_norm_backward", x, map, mean, null)
                    .launch(
                            LaunchShape.lines(x.elements() == 0 ? 0 : rows, n),
                            n,
                            dx.address(),
                            g.address(),
                            x.address(),
                            mean.address(),
                            rstd.address(),
                            DeviceView.address(weight));
        }
        if (dweight != null || dbias != null) {
            int blocks = Math.toIntExact((n + COLUMNS - 1) / COLUMNS);
            kernel("layer_norm_weight_backward", x, map, mean, null)
                    .launch(
                            new LaunchShape(blocks, 1, 1, COLUMNS, SHARING, 1, 0),
                            rows,
                            n,
                            DeviceView.address(dweight),
                            DeviceView.address(dbias),
                            g.address(),
                            x.address(),
                            mean.address(),
                            rstd.address());
        }
    }
}
