package dev.headroom.executor.host;

import dev.headroom.executor.kernel.RecurrentCall;
import dev.headroom.executor.kernel.RecurrentCall.Problem;
import dev.headroom.executor.kernel.RecurrentCall.States;
import dev.headroom.executor.kernel.RecurrentKernels;
import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

final class HostRecurrent implements RecurrentKernels {
    private final HostArrays arrays;

    HostRecurrent(HostArrays arrays) {
        this.arrays = arrays;
    }

    static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    private double[] read(@Nullable Tensor t, long count) {
        return t == null ? new double[Math.toIntExact(count)] : arrays.read(t);
    }

    private void write(@Nullable Tensor t, double[] values) {
        if (t != null) {
            arrays.write(t, values);
        }
    }

    @Override
    public void forward(RecurrentCall call, States last) {
        HostLayers layers = new HostLayers(call.problem(), arrays.read(call.weights()), null, call.dropout());
        double[] h = arrays.read(call.first().h());
        arrays.write(
                call.y(),
                layers.forward(arrays.read(call.x()), h, read(call.first().c(), cells(call))));
        arrays.write(last.h(), layers.lastStates());
        if (last.c() != null) {
            arrays.write(last.c(), layers.lastCells());
        }
        if (call.reserve() != null) {
            keep(call, layers);
        }
    }

    @Override
    public void dataGradient(RecurrentCall call, Tensor dy, States dLast, Tensor dx, States dFirst) {
        HostLayers layers = new HostLayers(call.problem(), arrays.read(call.weights()), kept(call), call.dropout());
        double[] h = arrays.read(call.first().h());
        double[] c = read(call.first().c(), cells(call));
        double[] dh = arrays.read(dLast.h());
        double[] dc = read(dLast.c(), cells(call));
        arrays.write(dx, layers.backward(arrays.read(dy), h, c, dh, dc));
        arrays.write(dFirst.h(), dh);
        write(dFirst.c(), dc);
        keep(call, layers);
    }

    @Override
    public void weightGradient(RecurrentCall call, Tensor dweights) {
        double[] sums = arrays.read(dweights);
        double[] weights = arrays.read(call.weights());
        HostLayers layers = new HostLayers(call.problem(), weights, kept(call), call.dropout());
        new HostLayerWeights(layers, call.problem(), weights, sums)
                .add(arrays.read(call.x()), arrays.read(call.first().h()));
        arrays.write(dweights, sums);
    }

    private static long cells(RecurrentCall call) {
        Problem p = call.problem();
        return p.layers().parts() * p.batch() * p.layers().hidden();
    }

    private void keep(RecurrentCall call, HostLayers layers) {
        arrays.write(call.problem().type(), call.givenReserve().address(), layers.kept());
    }

    private double[] kept(RecurrentCall call) {
        Problem p = call.problem();
        int count = Math.toIntExact(reserveBytes(p) / p.type().bytes());
        return arrays.read(p.type(), call.givenReserve().address(), count);
    }

    @Override
    public void gruCell(Gates gates, Tensor hx, Tensor hy, Tensor kept) {
        int n = (int) hy.size(1);
        double[] x = biased(gates.fromInput(), gates.inputBias());
        double[] h = biased(gates.fromState(), gates.stateBias());
        double[] before = arrays.read(hx);
        double[] out = new double[before.length];
        double[] keep = new double[5 * out.length];
        for (int i = 0; i < out.length; i++) {
            int at = i / n * 3 * n + i % n;
            double reset = sigmoid(x[at] + h[at]);
            double update = sigmoid(x[at + n] + h[at + n]);
            double inner = h[at + 2 * n];
            double candidate = Math.tanh(x[at + 2 * n] + reset * inner);
            out[i] = candidate + update * (before[i] - candidate);
            double[] values = {reset, update, candidate, before[i], inner};
            for (int k = 0; k < values.length; k++) {
                keep[(i / n * 5 + k) * n + i % n] = values[k];
            }
        }
        arrays.write(hy, out);
        arrays.write(kept, keep);
    }

    private double[] biased(Tensor gates, @Nullable Tensor bias) {
        double[] values = arrays.read(gates);
        if (bias != null) {
            double[] b = arrays.read(bias);
            for (int i = 0; i < values.length; i++) {
                values[i] += b[i % b.length];
            }
        }
        return values;
    }

    @Override
    public void gruCellBackward(Tensor kept, Tensor g, Tensor dInputGates, Tensor dHiddenGates, Tensor dhx) {
        int n = (int) g.size(1);
        double[] gradient = arrays.read(g);
        double[] keep = arrays.read(kept);
        double[] dx = new double[3 * gradient.length];
        double[] dh = new double[3 * gradient.length];
        double[] before = new double[gradient.length];
        for (int i = 0; i < gradient.length; i++) {
            int from = i / n * 5 * n + i % n;
            double reset = keep[from];
            double update = keep[from + n];
            double candidate = keep[from + 2 * n];
            double dCandidate = gradient[i] * (1 - update) * (1 - candidate * candidate);
            int at = i / n * 3 * n + i % n;
            dx[at] = dCandidate * keep[from + 4 * n] * reset * (1 - reset);
            dx[at + n] = gradient[i] * (keep[from + 3 * n] - candidate) * update * (1 - update);
            dx[at + 2 * n] = dCandidate;
            dh[at] = dx[at];
            dh[at + n] = dx[at + n];
            dh[at + 2 * n] = dCandidate * reset;
            before[i] = gradient[i] * update;
        }
        arrays.write(dInputGates, dx);
        arrays.write(dHiddenGates, dh);
        arrays.write(dhx, before);
    }

    @Override
    public void lstmCell(Gates sums, Tensor cx, States after, Tensor kept) {
        int n = (int) cx.size(1);
        double[] gates = biased(sums.fromInput(), sums.inputBias());
        double[] h = biased(sums.fromState(), sums.stateBias());
        double[] cell = arrays.read(cx);
        double[] out = new double[cell.length];
        for (int i = 0; i < gates.length; i++) {
            double sum = gates[i] + h[i];
            gates[i] = i / n % 4 == 2 ? Math.tanh(sum) : sigmoid(sum);
        }
        for (int i = 0; i < out.length; i++) {
            int at = i / n * 4 * n + i % n;
            cell[i] = gates[at + n] * cell[i] + gates[at] * gates[at + 2 * n];
            out[i] = gates[at + 3 * n] * Math.tanh(cell[i]);
        }
        arrays.write(after.h(), out);
        arrays.write(after.cells(), cell);
        arrays.write(kept, gates);
    }

    @Override
    public void lstmCellBackward(Tensor kept, Tensor cx, Tensor cy, StateGradients dAfter, Tensor dGates, Tensor dcx) {
        int n = (int) cx.size(1);
        double[] gates = arrays.read(kept);
        double[] before = arrays.read(cx);
        double[] after = arrays.read(cy);
        double[] dh = read(dAfter.h(), cx.elements());
        double[] dc = read(dAfter.c(), cx.elements());
        double[] out = new double[gates.length];
        for (int i = 0; i < before.length; i++) {
            int at = i / n * 4 * n + i % n;
            double in = gates[at];
            double forget = gates[at + n];
            double candidate = gates[at + 2 * n];
            double show = gates[at + 3 * n];
            double squashed = Math.tanh(after[i]);
            double dCell = dc[i] + dh[i] * show * (1 - squashed * squashed);
            out[at] = dCell * candidate * in * (1 - in);
            out[at + n] = dCell * before[i] * forget * (1 - forget);
            out[at + 2 * n] = dCell * in * (1 - candidate * candidate);
            out[at + 3 * n] = dh[i] * squashed * show * (1 - show);
            dc[i] = dCell * forget;
        }
        arrays.write(dGates, out);
        arrays.write(dcx, dc);
    }
}
