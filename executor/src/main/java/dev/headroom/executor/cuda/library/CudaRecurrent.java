package dev.headroom.executor.cuda.library;

import dev.headroom.executor.cuda.driver.Cleanup;
import dev.headroom.executor.cuda.driver.CudaStatus;
import dev.headroom.executor.cuda.kernel.DeviceView;
import dev.headroom.executor.cuda.kernel.KernelFiles;
import dev.headroom.executor.cuda.runtime.CudaContext;
import dev.headroom.executor.cuda.runtime.CudaKernel;
import dev.headroom.executor.cuda.runtime.LaunchShape;
import dev.headroom.executor.kernel.RecurrentCall;
import dev.headroom.executor.kernel.RecurrentCall.Problem;
import dev.headroom.executor.kernel.RecurrentCall.States;
import dev.headroom.executor.kernel.RecurrentKernels;
import dev.headroom.executor.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;
import org.bytedeco.cuda.cudnn.cudnnContext;
import org.bytedeco.cuda.global.cudnn;
import org.bytedeco.javacpp.SizeTPointer;
import org.jspecify.annotations.Nullable;

/** Recurrent layers by cuDNN, single steps by kernels of the project's own. */
public final class CudaRecurrent implements RecurrentKernels, AutoCloseable {
    private final CudaContext context;
    private final KernelFiles kernels;
    private final Map<Problem, RecurrentPlan> plans = new HashMap<>();

    public CudaRecurrent(CudaContext context, KernelFiles kernels) {
        this.context = context;
        this.kernels = kernels;
    }

    private RecurrentPlan plan(Problem problem) {
        return plans.computeIfAbsent(problem, p -> {
            context.dnn(); // loads cuDNN, before any of its classes is touched
            return new RecurrentPlan(context, p);
        });
    }

    @Override
    public long dropoutStatesBytes(long generators) {
        cudnnContext handle = context.dnn();
        try (SizeTPointer bytes = new SizeTPointer(1)) {
            CudaStatus.dnn("cudnnDropoutGetStatesSize", cudnn.cudnnDropoutGetStatesSize(handle, bytes));
            return bytes.get();
        }
    }

    @Override
    public long workspaceBytes(Problem p) {
        return plan(p).workspaceBytes();
    }

    @Override
    public long reserveBytes(Problem p) {
        return plan(p).reserveBytes();
    }

    @Override
    public void forward(RecurrentCall call, States last) {
        plan(call.problem()).forward(call, last);
    }

    @Override
    public void dataGradient(RecurrentCall call, Tensor dy, States dLast, Tensor dx, States dFirst) {
        plan(call.problem()).dataGradient(call, dy, dLast, dx, dFirst);
    }

    @Override
    public void weightGradient(RecurrentCall call, Tensor dweights) {
        plan(call.problem()).weightGradient(call, dweights);
    }

    private CudaKernel kernel(String name, Tensor t) {
        return kernels.kernel("recurrent", name, t.dtype());
    }

    private static byte[] view(@Nullable Tensor t) {
        return t == null ? DeviceView.none() : DeviceView.of(t);
    }

    @Override
    public void gruCell(Gates gates, Tensor hx, Tensor hy, Tensor kept) {
        kernel("gru_cell", hy)
                .launch(
                        LaunchShape.elements(hy.elements()),
                        hy.size(0),
                        hy.size(1),
                        view(hy),
                        view(kept),
                        view(gates.fromInput()),
                        view(gates.fromState()),
                        view(hx),
                        DeviceView.address(gates.inputBias()),
                        DeviceView.address(gates.stateBias()));
    }

    @Override
    public void gruCellBackward(Tensor kept, Tensor g, Tensor dInputGates, Tensor dHiddenGates, Tensor dhx) {
        kernel("gru_cell_gradient", g)
                .launch(
                        LaunchShape.elements(g.elements()),
                        g.size(0),
                        g.size(1),
                        view(dInputGates),
                        view(dHiddenGates),
                        view(dhx),
                        view(g),
                        view(kept));
    }

    @Override
    public void lstmCell(Gates gates, Tensor cx, States after, Tensor kept) {
        Tensor hy = after.h();
        kernel("lstm_cell", hy)
                .launch(
                        LaunchShape.elements(hy.elements()),
                        hy.size(0),
                        hy.size(1),
                        view(hy),
                        view(after.cells()),
                        view(kept),
                        view(gates.fromInput()),
                        view(gates.fromState()),
                        view(cx),
                        DeviceView.address(gates.inputBias()),
                        DeviceView.address(gates.stateBias()));
    }

    @Override
    public void lstmCellBackward(Tensor kept, Tensor cx, Tensor cy, StateGradients dAfter, Tensor dGates, Tensor dcx) {
        kernel("lstm_cell_gradient", cx)
                .launch(
                        LaunchShape.elements(cx.elements()),
                        cx.size(0),
                        cx.size(1),
                        view(dGates),
                        view(dcx),
                        view(dAfter.h()),
                        view(dAfter.c()),
                        view(cx),
                        view(cy),
                        view(kept));
    }

    @Override
    public void close() {
        Cleanup cleanup = new Cleanup();
        plans.values().forEach(plan -> cleanup.run(plan::close));
        plans.clear();
        cleanup.finish();
    }
}
