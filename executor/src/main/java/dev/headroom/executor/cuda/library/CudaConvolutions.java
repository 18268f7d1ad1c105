package dev.headroom.executor.cuda.library;

import dev.headroom.executor.cuda.driver.Cleanup;
import dev.headroom.executor.cuda.driver.CudaTransfer;
import dev.headroom.executor.cuda.kernel.DirectConvolutions;
import dev.headroom.executor.cuda.kernel.KernelFiles;
import dev.headroom.executor.cuda.runtime.CudaContext;
import dev.headroom.executor.kernel.ConvolutionCall;
import dev.headroom.executor.kernel.ConvolutionKernels;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Convolutions by cuDNN; depthwise ones without workspace, as PyTorch has them too, by kernels of the project's own.
 */
public final class CudaConvolutions implements ConvolutionKernels, AutoCloseable {
    private final CudaContext context;
    private final DirectConvolutions direct;
    private final Map<Key, ConvolutionPlan> plans = new HashMap<>();

    private record Key(Direction direction, DType type, boolean rowMajor, List<Long> numbers) {}

    public CudaConvolutions(CudaContext context, KernelFiles kernels) {
        this.context = context;
        this.direct = new DirectConvolutions(kernels);
    }

    @Override
    public long workspaceBytes(ConvolutionCall call) {
        return plan(call).workspaceBytes();
    }

    @Override
    public void convolve(ConvolutionCall call, @Nullable Tensor workspace) {
        if (call.isEmpty()) {
            clear(call.result());
            return;
        }
        boolean depthwise = call.geometry().groups() > 1 && call.weight().size(1) == 1;
        boolean done = (workspace != null || !depthwise) && plan(call).run(context.dnn(), call, workspace);
        if (!done) {
            direct.convolve(call);
        }
    }

    /** A sum of nothing. */
    private static void clear(Tensor result) {
        if (result.elements() > 0) {
            CudaTransfer.fill(
                    result.address(), 0, result.elements() * result.dtype().bytes());
        }
    }

    private ConvolutionPlan plan(ConvolutionCall call) {
        Geometry g = call.geometry();
        List<Long> numbers = Arrays.stream(new long[][] {
                    call.input().sizes(),
                    call.weight().sizes(),
                    call.output().sizes(),
                    g.stride(),
                    g.padding(),
                    g.dilation(),
                    {g.groups()}
                })
                .flatMapToLong(Arrays::stream)
                .boxed()
                .toList();
        Key key = new Key(call.direction(), call.input().dtype(), call.isRowMajor(), numbers);
        return plans.computeIfAbsent(key, k -> new ConvolutionPlan(context.dnn(), call));
    }

    @Override
    public void close() {
        Cleanup cleanup = new Cleanup();
        plans.values().forEach(plan -> cleanup.run(plan::close));
        plans.clear();
        cleanup.finish();
    }
}
