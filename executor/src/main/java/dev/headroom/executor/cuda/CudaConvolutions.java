package dev.headroom.executor.cuda;

import dev.headroom.executor.kernel.ConvolutionKernels;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Convolutions by cuDNN; depthwise ones without workspace, as PyTorch has them too, by kernels of the project's own. */
final class CudaConvolutions implements ConvolutionKernels, AutoCloseable {
    private final CudaContext context;
    private final DirectConvolutions direct;
    private final Map<Key, ConvolutionPlan> plans = new HashMap<>();

    private record Key(Direction direction, DType type, boolean rowMajor, List<Long> numbers) {}

    CudaConvolutions(CudaContext context, KernelFiles kernels) {
        this.context = context;
        this.direct = new DirectConvolutions(kernels);
    }

    @Override
    public long workspaceBytes(Direction direction, Tensor input, Tensor weight, Tensor output, Geometry geometry) {
        return plan(direction, input, weight, output, geometry).workspaceBytes();
    }

    @Override
    public void convolve(
            Direction direction, Tensor input, Tensor weight, Tensor output, Geometry geometry, Tensor workspace) {
        if (input.elements() == 0 || weight.elements() == 0 || output.elements() == 0) {
            clear(direction, input, weight, output);
            return;
        }
        boolean depthwise = geometry.groups() > 1 && weight.size(1) == 1;
        boolean done = (workspace != null || !depthwise)
                && plan(direction, input, weight, output, geometry)
                        .run(context.dnn(), input, weight, output, workspace);
        if (!done) {
            direct.convolve(direction, input, weight, output, geometry);
        }
    }

    /** A sum of nothing. */
    private static void clear(Direction direction, Tensor input, Tensor weight, Tensor output) {
        Tensor result =
                switch (direction) {
                    case OUTPUT -> output;
                    case INPUT_GRADIENT -> input;
                    case WEIGHT_GRADIENT -> weight;
                };
        if (result.elements() > 0) {
            CudaTransfer.fill(
                    result.address(), 0, result.elements() * result.dtype().bytes());
        }
    }

    private ConvolutionPlan plan(Direction direction, Tensor input, Tensor weight, Tensor output, Geometry g) {
        boolean rowMajor = input.isContiguous() && weight.isContiguous() && output.isContiguous();
        List<Long> numbers = Arrays.stream(new long[][] {
                    input.sizes(), weight.sizes(), output.sizes(), g.stride(), g.padding(), g.dilation(), {g.groups()}
                })
                .flatMapToLong(Arrays::stream)
                .boxed()
                .toList();
        return plans.computeIfAbsent(
                new Key(direction, input.dtype(), rowMajor, numbers),
                k -> new ConvolutionPlan(context.dnn(), direction, input, weight, output, g));
    }

    @Override
    public void close() {
        Cleanup cleanup = new Cleanup();
        plans.values().forEach(plan -> cleanup.run(plan::close));
        plans.clear();
        cleanup.finish();
    }
}
