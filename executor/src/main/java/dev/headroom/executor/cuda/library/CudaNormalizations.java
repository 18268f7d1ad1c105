package dev.headroom.executor.cuda.library;

import dev.headroom.allocator.Bytes;
import dev.headroom.executor.cuda.kernel.ChannelViews;
import dev.headroom.executor.cuda.kernel.DeviceView;
import dev.headroom.executor.cuda.kernel.KernelFiles;
import dev.headroom.executor.cuda.runtime.CudaContext;
import dev.headroom.executor.cuda.runtime.CudaKernel;
import dev.headroom.executor.cuda.runtime.LaunchShape;
import dev.headroom.executor.kernel.BatchNormCall;
import dev.headroom.executor.kernel.GivenNormCall;
import dev.headroom.executor.kernel.GroupNormCall;
import dev.headroom.executor.kernel.LayerNormCall;
import dev.headroom.executor.kernel.NormGradients;
import dev.headroom.executor.kernel.NormalizationKernels;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Normalisation by kernels of the project's own and, where PyTorch takes cuDNN's, by cuDNN. */
public final class CudaNormalizations implements NormalizationKernels {
    /** Columns of a block and the threads that share one, where columns are summed up. */
    private static final int COLUMNS = 32;

    private static final int SHARING = 8;

    private final KernelFiles kernels;
    private final DnnBatchNorm dnn;

    public CudaNormalizations(CudaContext context, KernelFiles kernels) {
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

    /**
     * Types of data, weights, statistics of the batch, and running statistics; what is missing is as something there.
     */
    private CudaKernel kernel(
            String name, Tensor data, @Nullable Tensor weight, @Nullable Tensor statistics, @Nullable Tensor running) {
        DType batch = Objects.requireNonNull(statistics == null ? running : statistics)
                .dtype();
        DType map = weight == null ? batch : weight.dtype();
        return kernels.kernel(
                "normalizations", name, data.dtype(), map, batch, running == null ? batch : running.dtype());
    }

    private static @Nullable Tensor either(@Nullable Tensor a, @Nullable Tensor b) {
        return a == null ? b : a;
    }

    @Override
    public void batchNorm(BatchNormCall call, BatchNormCall.Running running, Tensor out) {
        Tensor x = call.x();
        if (call.library() != null && x.elements() > 0) {
            dnn.forward(call, call.library(), running, out);
            return;
        }
        ChannelViews c = ChannelViews.of(out, x);
        kernel("batch_norm", x, either(call.weight(), call.bias()), call.mean(), running.mean())
                .launch(
                        c.shape(),
                        c.length(),
                        c.view(0),
                        c.view(1),
                        DeviceView.address(call.weight()),
                        DeviceView.address(call.bias()),
                        DeviceView.address(running.mean()),
                        DeviceView.address(running.variance()),
                        DeviceView.address(call.mean()),
                        call.invstd().address(),
                        running.momentum(),
                        call.epsilon());
    }

    @Override
    public void givenNorm(GivenNormCall call, Tensor out) {
        Tensor x = call.x();
        ChannelViews c = ChannelViews.of(out, x);
        kernel("batch_norm_evaluation", x, either(call.weight(), call.bias()), null, call.mean())
                .launch(
                        c.shape(),
                        c.length(),
                        c.view(0),
                        c.view(1),
                        DeviceView.address(call.weight()),
                        DeviceView.address(call.bias()),
                        DeviceView.address(call.mean()),
                        call.variance().address(),
                        call.epsilon());
    }

    @Override
    public void batchNormBackward(BatchNormCall call, Tensor g, NormGradients gradients) {
        if (call.library() != null && call.x().elements() > 0) {
            dnn.backward(call, call.library(), g, gradients);
            return;
        }
        Statistics statistics = new Statistics(call.mean(), call.invstd(), false, 0);
        backward(call.x(), call.weight(), statistics, g, gradients);
    }

    @Override
    public void givenNormBackward(GivenNormCall call, Tensor g, NormGradients gradients) {
        Statistics statistics = new Statistics(call.mean(), call.variance(), true, call.epsilon());
        backward(call.x(), call.weight(), statistics, g, gradients);
    }

    /**
     * By channel.
     *
     * @param spread one over the deviation, a variance if the statistics were given
     */
    private record Statistics(Tensor mean, Tensor spread, boolean given, double epsilon) {}

    private void backward(Tensor x, @Nullable Tensor weight, Statistics statistics, Tensor g, NormGradients gradients) {
        ChannelViews c = ChannelViews.of(gradients.x(), g, x);
        kernel("batch_norm_backward", x, either(weight, gradients.affine()), statistics.mean(), null)
                .launch(
                        c.shape(),
                        c.length(),
                        c.view(0),
                        DeviceView.address(gradients.weight()),
                        DeviceView.address(gradients.bias()),
                        c.view(1),
                        c.view(2),
                        DeviceView.address(weight),
                        statistics.mean().address(),
                        statistics.spread().address(),
                        statistics.given() ? 1 : 0,
                        statistics.epsilon(),
                        statistics.given() ? 1 : 0);
    }

    @Override
    public void groupNorm(GroupNormCall call, Tensor out) {
        Tensor x = call.x();
        long lines = call.mean().elements();
        if (x.elements() == 0) {
            return;
        }
        kernel("group_norm", x, either(call.weight(), call.bias()), call.rstd(), null)
                .launch(
                        LaunchShape.lines(lines, x.elements() / lines),
                        x.size(1),
                        (long) call.groups(),
                        x.elements() / x.size(0) / x.size(1),
                        DeviceView.of(out),
                        DeviceView.of(x),
                        DeviceView.address(call.weight()),
                        DeviceView.address(call.bias()),
                        DeviceView.address(call.mean()),
                        call.rstd().address(),
                        call.epsilon());
    }

    @Override
    public void groupNormBackward(GroupNormCall call, Tensor g, NormGradients gradients) {
        Tensor x = call.x();
        long lines = call.mean().elements();
        if (x.elements() == 0) {
            return;
        }
        long plane = x.elements() / x.size(0) / x.size(1);
        Tensor map = either(call.weight(), gradients.affine());
        if (gradients.x() != null) {
            kernel("group_norm_backward", x, map, call.rstd(), null)
                    .launch(
                            LaunchShape.lines(lines, x.elements() / lines),
                            x.size(1),
                            (long) call.groups(),
                            plane,
                            DeviceView.of(gradients.x()),
                            DeviceView.of(g),
                            DeviceView.of(x),
                            DeviceView.address(call.weight()),
                            DeviceView.address(call.mean()),
                            call.rstd().address());
        }
        if (gradients.affine() != null) {
            kernel("group_norm_weight_backward", x, map, call.rstd(), null)
                    .launch(
                            LaunchShape.lines(x.size(1), x.size(0) * plane),
                            x.size(0),
                            x.size(1),
                            (long) call.groups(),
                            plane,
                            DeviceView.address(gradients.weight()),
                            DeviceView.address(gradients.bias()),
                            DeviceView.of(g),
                            DeviceView.of(x),
                            DeviceView.address(call.mean()),
                            call.rstd().address());
        }
    }

    @Override
    public void layerNorm(LayerNormCall call, Tensor out) {
        Tensor x = call.x();
        kernel("layer_norm", x, either(call.weight(), call.bias()), call.rstd(), null)
                .launch(
                        LaunchShape.lines(x.elements() == 0 ? 0 : x.size(0), x.size(1)),
                        x.size(1),
                        out.address(),
                        DeviceView.address(call.mean()),
                        call.rstd().address(),
                        x.address(),
                        DeviceView.address(call.weight()),
                        DeviceView.address(call.bias()),
                        call.epsilon());
    }

    @Override
    public void layerNormBackward(LayerNormCall call, Tensor g, NormGradients gradients) {
        Tensor x = call.x();
        Tensor map = either(call.weight(), gradients.affine());
        long rows = x.size(0);
        long n = x.size(1);
        if (gradients.x() != null) {
            kernel("layer_norm_backward", x, map, call.rstd(), null)
                    .launch(
                            LaunchShape.lines(x.elements() == 0 ? 0 : rows, n),
                            n,
                            gradients.x().address(),
                            g.address(),
                            x.address(),
                            DeviceView.address(call.mean()),
                            call.rstd().address(),
                            DeviceView.address(call.weight()));
        }
        if (gradients.affine() != null) {
            int blocks = Math.toIntExact(Bytes.ceilDiv(n, COLUMNS));
            kernel("layer_norm_weight_backward", x, map, call.rstd(), null)
                    .launch(
                            new LaunchShape(blocks, 1, 1, COLUMNS, SHARING, 1, 0),
                            rows,
                            n,
                            DeviceView.address(gradients.weight()),
                            DeviceView.address(gradients.bias()),
                            g.address(),
                            x.address(),
                            DeviceView.address(call.mean()),
                            call.rstd().address());
        }
    }
}
