package dev.headroom.executor.host;

import dev.headroom.executor.kernel.RecurrentKernels;
import dev.headroom.executor.tensor.Tensor;

final class HostRecurrent implements RecurrentKernels {
    private final HostArrays arrays;

    HostRecurrent(HostArrays arrays) {
        this.arrays = arrays;
    }

    private double[] read(Tensor t, long count) {
        return t == null ? new double[Math.toIntExact(count)] : arrays.read(t);
    }

    private void write(Tensor t, double[] values) {
        if (t != null) {
            arrays.write(t, values);
        }
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
        HostLayers layers = new HostLayers(p, arrays.read(weights), null);
        double[] c = read(cx, hx.elements());
        arrays.write(y, layers.forward(arrays.read(x), arrays.read(hx), c));
        arrays.write(hy, layers.lastStates());
        if (cy != null) {
            arrays.write(cy, layers.lastCells());
        }
        if (reserve != null) {
            arrays.write(p.type(), reserve.address(), layers.kept());
        }
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
        HostLayers layers = new HostLayers(p, arrays.read(weights), kept(p, reserve));
        double[] dh = arrays.read(dhy);
        double[] dc = read(dcy, hx.elements());
        arrays.write(dx, layers.backward(arrays.read(dy), arrays.read(hx), read(cx, hx.elements()), dh, dc));
        arrays.write(dhx, dh);
        write(dcx, dc);
        arrays.write(p.type(), reserve.address(), layers.kept());
    }

    @Override
    public void weightGradient(
            Problem p, Tensor dweights, Tensor x, Tensor hx, Tensor y, Tensor workspace, Tensor reserve) {
        double[] sums = arrays.read(dweights);
        new HostLayers(p, sums, kept(p, reserve)).addWeightGradients(arrays.read(x), arrays.read(hx));
        arrays.write(dweights, sums);
    }

    private double[] kept(Problem p, Tensor reserve) {
        int count = Math.toIntExact(reserveBytes(p) / p.type().bytes());
        return arrays.read(p.type(), reserve.address(), count);
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
        int n = (int) hy.size(1);
        double[] x = biased(inputGates, inputBias);
        double[] h = biased(hiddenGates, hiddenBias);
        double[] before = arrays.read(hx);
        double[] out = new double[before.length];
        double[] keep = new double[5 * out.length];
        for (int i = 0; i < out.length; i++) {
            int at = i / n * 3 * n + i % n;
            double reset = HostLayers.sigmoid(x[at] + h[at]);
            double update = HostLayers.sigmoid(x[at + n] + h[at + n]);
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

    private double[] biased(Tensor gates, Tensor bias) {
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
    public void gruCellGradient(Tensor dInputGates, Tensor dHiddenGates, Tensor dhx, Tensor g, Tensor kept) {
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
    public void lstmCell(
            Tensor hy,
            Tensor cy,
            Tensor kept,
            Tensor inputGates,
            Tensor hiddenGates,
            Tensor cx,
            Tensor inputBias,
            Tensor hiddenBias) {
        int n = (int) cx.size(1);
        double[] gates = biased(inputGates, inputBias);
        double[] h = biased(hiddenGates, hiddenBias);
        double[] cell = arrays.read(cx);
        double[] out = new double[cell.length];
        for (int i = 0; i < gates.length; i++) {
            double sum = gates[i] + h[i];
            gates[i] = i / n % 4 == 2 ? Math.tanh(sum) : HostLayers.sigmoid(sum);
        }
        for (int i = 0; i < out.length; i++) {
            int at = i / n * 4 * n + i % n;
            cell[i] = gates[at + n] * cell[i] + gates[at] * gates[at + 2 * n];
            out[i] = gates[at + 3 * n] * Math.tanh(cell[i]);
        }
        arrays.write(hy, out);
        arrays.write(cy, cell);
        arrays.write(kept, gates);
    }

    @Override
    public void lstmCellGradient(Tensor dGates, Tensor dcx, Tensor dhy, Tensor dcy, Tensor cx, Tensor cy, Tensor kept) {
        int n = (int) cx.size(1);
        double[] gates = arrays.read(kept);
        double[] before = arrays.read(cx);
        double[] after = arrays.read(cy);
        double[] dh = read(dhy, cx.elements());
        double[] dc = read(dcy, cx.elements());
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
