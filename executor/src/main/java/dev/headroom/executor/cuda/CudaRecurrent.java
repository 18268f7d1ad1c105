package dev.headroom.executor.cuda;

import dev.headroom.executor.kernel.RecurrentKernels;
import dev.headroom.executor.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;

/** Recurrent layers by cuDNN, single steps by kernels of the project's own. */
final class CudaRecurrent implements RecurrentKernels, AutoCloseable {
    private final CudaContext context;
    private final KernelFiles kernels;
    private final Map<Problem, RecurrentPlan> plans = new HashMap<>();

    CudaRecurrent(CudaContext context, KernelFiles kernels) {
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
    public long workspaceBytes(Problem p) {
        return plan(p).workspaceBytes();
    }

    @Override
    public long reserveBytes(Problem p) {
        return plan(p).reserveBytes();
    }

    @Override
    public void forward(
            Problem p,
            Tensor y,
            Tensor hy,
            Tensor cy,
            Tensor x,
            Tensor hx,
            Tensor cx,
            Tensor weights,
            Tensor workspace,
            Tensor reserve) {
        plan(p).forward(y, hy, cy, x, hx, cx, weights, workspace, reserve);
    }

    @Override
    public void dataGradient(
            Problem p,
            Tensor dx,
            Tensor dhx,
            Tensor dcx,
            Tensor dy,
            Tensor dhy,
            Tensor dcy,
            Tensor y,
            Tensor hx,
            Tensor cx,
            Tensor weights,
            Tensor workspace,
            Tensor reserve) {
        plan(p).dataGradient(dx, dhx, dcx, dy, dhy, dcy, y, hx, cx, weights, workspace, reserve);
    }

    @Override
    public void weightGradient(
            Problem p, Tensor dweights, Tensor x, Tensor hx, Tensor y, Tensor workspace, Tensor reserve) {
        plan(p).weightGradient(dweights, x, hx, y, workspace, reserve);
    }

    private CudaKernel kernel(String name, Tensor t) {
        return kernels.kernel("recurrent", name, t.dtype());
    }

    private static byte[] view(Tensor t) {
        return t == null ? DeviceView.none() : DeviceView.of(t);
    }

    @Override
    public void gruCell(
            Tensor hy,
            Tensor kept,
            Tensor inputGates,
            Tensor hiddenGates,
            Tensor hx,
            Tensor inputBias,
            Tensor hiddenBias) {
        kernel("gru_cell", hy)
                .launch(
                        LaunchShape.elements(hy.elements()),
                        hy.size(0),
                        hy.size(1),
                        view(hy),
                        view(kept),
                        view(inputGates),
                        view(hiddenGates),
                        view(hx),
                        DeviceView.address(inputBias),
                        DeviceView.address(hiddenBias));
    }

    @Override
    public void gruCellGradient(Tensor dInputGates, Tensor dHiddenGates, Tensor dhx, Tensor g, Tensor kept) {
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
    public void lstmCell(
            Tensor hy,
            Tensor cy,
            Tensor kept,
            Tensor inputGates,
            Tensor hiddenGates,
            Tensor cx,
            Tensor inputBias,
            Tensor hiddenBias) {
        kernel("lstm_cell", hy)
                .launch(
                        LaunchShape.elements(hy.elements()),
                        hy.size(0),
                        hy.size(1),
                        view(hy),
                        view(cy),
                        view(kept),
                        view(inputGates),
                        view(hiddenGates),
                        view(cx),
                        DeviceView.address(inputBias),
                        DeviceView.address(hiddenBias));
    }

    @Override
    public void lstmCellGradient(Tensor dGates, Tensor dcx, Tensor dhy, Tensor dcy, Tensor cx, Tensor cy, Tensor kept) {
        kernel("lstm_cell_gradient", cx)
                .launch(
                        LaunchShape.elements(cx.elements()),
                        cx.size(0),
                        cx.size(1),
                        view(dGates),
                        view(dcx),
                        view(dhy),
                        view(dcy),
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
