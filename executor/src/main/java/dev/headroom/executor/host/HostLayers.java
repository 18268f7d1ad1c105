package dev.headroom.executor.host;

import dev.headroom.executor.kernel.RecurrentKernels.Cell;
import dev.headroom.executor.kernel.RecurrentKernels.Problem;
import dev.headroom.executor.kernel.RecurrentLayers;
import org.jspecify.annotations.Nullable;

/**
 * Recurrent layers in plain Java. What a training run keeps of a part, for all steps and sequences: the gates, the
 * outputs and, of LSTMs and GRUs, one more state (an LSTM's cells; what a GRU's candidates get from the states). The
 * backward pass puts the gates' gradients in their place, and a GRU's gradients of that inner state: all that
 * weights' gradients need.
 */
final class HostLayers {
    private final RecurrentLayers layers;
    private final int steps;
    private final int batch;
    private final int hidden;
    private final int gates;
    private final int rows;
    private final double[] weights;
    private final double[] kept;

    /** @param kept of the forward pass, or {@code null} before it */
    HostLayers(Problem p, double[] weights, double @Nullable [] kept) {
        layers = p.layers();
        steps = (int) p.steps();
        batch = (int) p.batch();
        hidden = (int) layers.hidden();
        gates = layers.cell().gates();
        rows = steps * batch;
        this.weights = weights;
        this.kept = kept == null ? new double[layers.parts() * keptOfPart()] : kept;
    }

    static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    double[] kept() {
        return kept;
    }

    private int keptOfPart() {
        return rows * hidden * (gates + (gates > 1 ? 2 : 1));
    }

    /** Place of a gate, of the output and of the further state; {@code row} counts steps and sequences. */
    private int gate(int part, int row, int gate) {
        return part * keptOfPart() + (row * gates + gate) * hidden;
    }

    private int output(int part, int row) {
        return part * keptOfPart() + (rows * gates + row) * hidden;
    }

    private int further(int part, int row) {
        return part * keptOfPart() + (rows * (gates + 1) + row) * hidden;
    }

    /** The row of a part's n-th step: reverse parts begin at the end. */
    private int row(int part, int n, int sequence) {
        return (reverse(part) ? steps - 1 - n : n) * batch + sequence;
    }

    private boolean reverse(int part) {
        return part % layers.directions() == 1;
    }

    /** Outputs of a layer's directions side by side. */
    private double[] joined(int layer) {
        int directions = layers.directions();
        double[] out = new double[rows * directions * hidden];
        for (int d = 0; d < directions; d++) {
            for (int row = 0; row < rows; row++) {
                System.arraycopy(
                        kept, output(layer * directions + d, row), out, (row * directions + d) * hidden, hidden);
            }
        }
        return out;
    }

    /** The output of the last layer, from inputs, first states and first cells. */
    double[] forward(double[] x, double[] hx, double[] cx) {
        double[] input = x;
        for (int layer = 0; layer < layers.count(); layer++) {
            for (int d = 0; d < layers.directions(); d++) {
                int part = layer * layers.directions() + d;
                for (int n = 0; n < steps; n++) {
                    for (int s = 0; s < batch; s++) {
                        step(part, n, s, input, hx, cx);
                    }
                }
            }
            input = joined(layer);
        }
        return input;
    }

    private void step(int part, int n, int s, double[] input, double[] hx, double[] cx) {
        int row = row(part, n, s);
        int first = (part * batch + s) * hidden;
        boolean begins = n == 0;
        double[] states = begins ? hx : kept;
        int state = begins ? first : output(part, row(part, n - 1, s));
        int width = (int) layers.width(part);
        for (int u = 0; u < hidden; u++) {
            double[] fromInput = new double[gates];
            double[] fromState = new double[gates];
            for (int g = 0; g < gates; g++) {
                int unit = g * hidden + u;
                fromInput[g] =
                        dot(input, row * width, matrix(part, false) + unit * width, width) + bias(part, false, unit);
                fromState[g] = dot(states, state, matrix(part, true) + unit * hidden, hidden) + bias(part, true, unit);
            }
            double cell = cellBefore(part, n, s, u, cx);
            unit(part, row, u, fromInput, fromState, states[state + u], cell);
        }
    }

    private double cellBefore(int part, int n, int s, int u, double[] cx) {
        if (layers.cell() != Cell.LSTM) {
            return 0;
        }
        return n == 0 ? cx[(part * batch + s) * hidden + u] : kept[further(part, row(part, n - 1, s)) + u];
    }

    private int matrix(int part, boolean ofState) {
        return (int) layers.matrix(part, ofState);
    }

    private double bias(int part, boolean ofState, int unit) {
        return weights[(int) layers.bias(part, ofState) + unit];
    }

    private double dot(double[] values, int from, int weight, int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += values[from + i] * weights[weight + i];
        }
        return sum;
    }

    private void unit(int part, int row, int u, double[] x, double[] h, double before, double cell) {
        int out = output(part, row) + u;
        int more = further(part, row) + u;
        int first = gate(part, row, 0) + u;
        switch (layers.cell()) {
            case RELU -> kept[first] = kept[out] = Math.max(0, x[0] + h[0]);
            case TANH -> kept[first] = kept[out] = Math.tanh(x[0] + h[0]);
            case LSTM -> {
                for (int g = 0; g < gates; g++) {
                    kept[first + g * hidden] = g == 2 ? Math.tanh(x[g] + h[g]) : sigmoid(x[g] + h[g]);
                }
                kept[more] = kept[first + hidden] * cell + kept[first] * kept[first + 2 * hidden];
                kept[out] = kept[first + 3 * hidden] * Math.tanh(kept[more]);
            }
            case GRU -> {
                double reset = sigmoid(x[0] + h[0]);
                double update = sigmoid(x[1] + h[1]);
                double candidate = Math.tanh(x[2] + reset * h[2]);
                kept[first] = reset;
                kept[first + hidden] = update;
                kept[first + 2 * hidden] = candidate;
                kept[more] = h[2];
                kept[out] = (1 - update) * candidate + update * before;
            }
        }
    }

    /** States after the last step, part by part. */
    double[] lastStates() {
        return last(false);
    }

    /** Cells after the last step. */
    double[] lastCells() {
        return last(true);
    }

    private double[] last(boolean cells) {
        double[] out = new double[layers.parts() * batch * hidden];
        for (int part = 0; part < layers.parts(); part++) {
            for (int s = 0; s < batch; s++) {
                int row = row(part, steps - 1, s);
                int from = cells ? further(part, row) : output(part, row);
                System.arraycopy(kept, from, out, (part * batch + s) * hidden, hidden);
            }
        }
        return out;
    }

    /**
     * Gradients of the inputs.
     *
     * @param dh of the last states; of the first ones afterwards
     * @param dc of the last cells; of the first ones afterwards
     */
    double[] backward(double[] dy, double[] hx, double[] cx, double[] dh, double[] dc) {
        double[] above = dy;
        for (int layer = layers.count() - 1; layer >= 0; layer--) {
            int width = (int) layers.width(layer * layers.directions());
            double[] below = new double[rows * width];
            for (int d = 0; d < layers.directions(); d++) {
                int part = layer * layers.directions() + d;
                for (int n = steps - 1; n >= 0; n--) {
                    for (int s = 0; s < batch; s++) {
                        stepBack(part, n, s, above, below, hx, cx, dh, dc);
                    }
                }
            }
            above = below;
        }
        return above;
    }

    private void stepBack(
            int part,
            int n,
            int s,
            double[] above,
            double[] below,
            double[] hx,
            double[] cx,
            double[] dh,
            double[] dc) {
        int row = row(part, n, s);
        int own = (part * batch + s) * hidden;
        int from = (row * layers.directions() + part % layers.directions()) * hidden;
        double[] direct = new double[hidden];
        for (int u = 0; u < hidden; u++) {
            double before = n == 0 ? hx[own + u] : kept[output(part, row(part, n - 1, s)) + u];
            double cell = cellBefore(part, n, s, u, cx);
            direct[u] = unitBack(part, row, u, dh[own + u] + above[from + u], before, cell, dc, own + u);
        }
        int width = (int) layers.width(part);
        System.arraycopy(direct, 0, dh, own, hidden);
        for (int g = 0; g < gates; g++) {
            for (int u = 0; u < hidden; u++) {
                int unit = g * hidden + u;
                add(kept[gate(part, row, g) + u], matrix(part, false) + unit * width, below, row * width, width);
                add(stateGradient(part, row, g, u), matrix(part, true) + unit * hidden, dh, own, hidden);
            }
        }
    }

    private void add(double factor, int weight, double[] sums, int at, int count) {
        for (int i = 0; i < count; i++) {
            sums[at + i] += factor * weights[weight + i];
        }
    }

    /** The gradient of a gate's sum as far as the state made it. */
    private double stateGradient(int part, int row, int gate, int u) {
        boolean inner = layers.cell() == Cell.GRU && gate == 2;
        return kept[inner ? further(part, row) + u : gate(part, row, gate) + u];
    }

    /** Puts gates' gradients in their place; returns what goes to the state before without a product. */
    private double unitBack(int part, int row, int u, double d, double before, double cell, double[] dc, int own) {
        int first = gate(part, row, 0) + u;
        int more = further(part, row) + u;
        switch (layers.cell()) {
            case RELU -> kept[first] = kept[first] > 0 ? d : 0;
            case TANH -> kept[first] = d * (1 - kept[first] * kept[first]);
            case LSTM -> {
                double in = kept[first];
                double forget = kept[first + hidden];
                double candidate = kept[first + 2 * hidden];
                double show = kept[first + 3 * hidden];
                double squashed = Math.tanh(kept[more]);
                double dCell = dc[own] + d * show * (1 - squashed * squashed);
                kept[first] = dCell * candidate * in * (1 - in);
                kept[first + hidden] = dCell * cell * forget * (1 - forget);
                kept[first + 2 * hidden] = dCell * in * (1 - candidate * candidate);
                kept[first + 3 * hidden] = d * squashed * show * (1 - show);
                dc[own] = dCell * forget;
            }
            case GRU -> {
                double reset = kept[first];
                double update = kept[first + hidden];
                double candidate = kept[first + 2 * hidden];
                double dCandidate = d * (1 - update) * (1 - candidate * candidate);
                kept[first] = dCandidate * kept[more] * reset * (1 - reset);
                kept[first + hidden] = d * (before - candidate) * update * (1 - update);
                kept[first + 2 * hidden] = dCandidate;
                kept[more] = dCandidate * reset;
                return d * update;
            }
        }
        return 0;
    }

    /** Adds to the weights that this was made with, which are their gradients; after {@link #backward}. */
    void addWeightGradients(double[] x, double[] hx) {
        double[] input = x;
        for (int part = 0; part < layers.parts(); part++) {
            if (part > 0 && part % layers.directions() == 0) {
                input = joined(part / layers.directions() - 1);
            }
            for (int n = 0; n < steps; n++) {
                for (int s = 0; s < batch; s++) {
                    addWeightGradients(part, n, s, input, hx);
                }
            }
        }
    }

    private void addWeightGradients(int part, int n, int s, double[] input, double[] hx) {
        int row = row(part, n, s);
        double[] states = n == 0 ? hx : kept;
        int state = n == 0 ? (part * batch + s) * hidden : output(part, row(part, n - 1, s));
        int width = (int) layers.width(part);
        for (int g = 0; g < gates; g++) {
            for (int u = 0; u < hidden; u++) {
                int unit = g * hidden + u;
                double d = kept[gate(part, row, g) + u];
                double inner = stateGradient(part, row, g, u);
                for (int i = 0; i < width; i++) {
                    weights[matrix(part, false) + unit * width + i] += d * input[row * width + i];
                }
                for (int i = 0; i < hidden; i++) {
                    weights[matrix(part, true) + unit * hidden + i] += inner * states[state + i];
                }
                weights[(int) layers.bias(part, false) + unit] += d;
                weights[(int) layers.bias(part, true) + unit] += inner;
            }
        }
    }
}
