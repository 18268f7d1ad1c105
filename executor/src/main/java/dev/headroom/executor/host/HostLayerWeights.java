package dev.headroom.executor.host;

import dev.headroom.executor.kernel.RecurrentCall.Problem;
import dev.headroom.executor.kernel.RecurrentLayers;

/** Gradients of recurrent layers' weights, from what the backward pass left of each step. */
final class HostLayerWeights {
    private final HostLayers steps;
    private final RecurrentLayers layers;
    private final int count;
    private final int batch;
    private final double[] weights;
    private final double[] sums;
    private final double[] kept;

    /**
     * @param weights of the forward pass
     * @param sums what gradients are added to
     */
    HostLayerWeights(HostLayers steps, Problem problem, double[] weights, double[] sums) {
        this.steps = steps;
        this.layers = problem.layers();
        this.count = (int) problem.steps();
        this.batch = (int) problem.batch();
        this.weights = weights;
        this.sums = sums;
        this.kept = steps.kept();
    }

    /** Adds them, after the backward pass of the inputs. */
    void add(double[] x, double[] hx) {
        double[] input = x;
        for (int part = 0; part < layers.parts(); part++) {
            if (part > 0 && part % layers.directions() == 0) {
                int before = part / layers.directions() - 1;
                input = joined(before);
                steps.drop(before, input);
            }
            for (int n = 0; n < count; n++) {
                for (int s = 0; s < batch; s++) {
                    add(part, n, s, input, hx);
                }
            }
        }
    }

    /** Outputs of a layer's directions side by side; those that are projected are computed again. */
    private double[] joined(int layer) {
        if (!layers.projects()) {
            return steps.joined(layer);
        }
        int width = (int) layers.output();
        int directions = layers.directions();
        double[] out = new double[count * batch * directions * width];
        for (int d = 0; d < directions; d++) {
            for (int row = 0; row < count * batch; row++) {
                project(layer * directions + d, row, out, (row * directions + d) * width);
            }
        }
        return out;
    }

    private void project(int part, int row, double[] out, int at) {
        int hidden = (int) layers.hidden();
        for (int p = 0; p < layers.output(); p++) {
            for (int u = 0; u < hidden; u++) {
                double weight = weights[(int) layers.projection(part) + p * hidden + u];
                out[at + p] += weight * kept[steps.further(part, row) + u];
            }
        }
    }

    private double[] stateBefore(int part, int n, int s, double[] hx) {
        int width = (int) layers.output();
        double[] out = new double[width];
        if (n == 0) {
            System.arraycopy(hx, (part * batch + s) * width, out, 0, width);
        } else if (layers.projects()) {
            project(part, steps.row(part, n - 1, s), out, 0);
        } else {
            System.arraycopy(kept, steps.output(part, steps.row(part, n - 1, s)), out, 0, width);
        }
        return out;
    }

    private void add(int part, int n, int s, double[] input, double[] hx) {
        int row = steps.row(part, n, s);
        int hidden = (int) layers.hidden();
        int given = (int) layers.width(part);
        double[] state = stateBefore(part, n, s, hx);
        for (int g = 0; g < layers.cell().gates(); g++) {
            for (int u = 0; u < hidden; u++) {
                int unit = g * hidden + u;
                double d = kept[steps.gate(part, row, g) + u];
                double inner = steps.stateGradient(part, row, g, u);
                for (int i = 0; i < given; i++) {
                    sums[steps.matrix(part, false) + unit * given + i] += d * input[row * given + i];
                }
                for (int i = 0; i < state.length; i++) {
                    sums[steps.matrix(part, true) + unit * state.length + i] += inner * state[i];
                }
                sums[(int) layers.bias(part, false) + unit] += d;
                sums[(int) layers.bias(part, true) + unit] += inner;
            }
        }
        for (int p = 0; layers.projects() && p < layers.output(); p++) {
            for (int u = 0; u < hidden; u++) {
                sums[(int) layers.projection(part) + p * hidden + u] +=
                        kept[steps.output(part, row) + p] * kept[steps.further(part, row) + u];
            }
        }
    }
}
