package dev.headroom.executor.host;

import dev.headroom.executor.kernel.RecurrentCall.Problem;
import dev.headroom.executor.kernel.RecurrentDropout;
import dev.headroom.executor.kernel.RecurrentLayers;
import dev.headroom.executor.kernel.RecurrentLayers.Cell;
import java.util.Arrays;
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
    private final int width;
    private final int gates;
    private final int rows;
    private final double[] weights;
    private final double[] kept;
    private final @Nullable RecurrentDropout dropout;

    /** @param kept of the forward pass, or {@code null} before it */
    HostLayers(Problem p, double[] weights, double @Nullable [] kept, @Nullable RecurrentDropout dropout) {
        this.dropout = dropout;
        layers = p.layers();
        steps = (int) p.steps();
        batch = (int) p.batch();
        hidden = (int) layers.hidden();
        width = (int) layers.output();
        gates = layers.cell().gates();
        rows = steps * batch;
        this.weights = weights;
        this.kept = kept == null ? new double[layers.parts() * keptOfPart()] : kept;
    }

    double[] kept() {
        return kept;
    }

    private int keptOfPart() {
        return rows * hidden * (gates + (gates > 1 ? 2 : 1));
    }

    /** Place of a gate, of the output and of the further state; {@code row} counts steps and sequences. */
    int gate(int part, int row, int gate) {
        return part * keptOfPart() + (row * gates + gate) * hidden;
    }

    int output(int part, int row) {
        return part * keptOfPart() + rows * gates * hidden + row * width;
    }

    int further(int part, int row) {
        return part * keptOfPart() + (rows * (gates + 1) + row) * hidden;
    }

    /** The row of a part's n-th step: reverse parts begin at the end. */
    int row(int part, int n, int sequence) {
        return (reverse(part) ? steps - 1 - n : n) * batch + sequence;
    }

    private boolean reverse(int part) {
        return part % layers.directions() == 1;
    }

    /** Outputs of a layer's directions side by side. */
    double[] joined(int layer) {
        int directions = layers.directions();
        double[] out = new double[rows * directions * width];
        for (int d = 0; d < directions; d++) {
            for (int row = 0; row < rows; row++) {
                System.arraycopy(kept, output(layer * directions + d, row), out, (row * directions + d) * width, width);
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
            if (layer < layers.count() - 1) {
                drop(layer, input);
            }
        }
        return input;
    }

    /** Drops elements of what a layer hands on, or of its gradient: the same ones at every call. */
    void drop(int layer, double[] values) {
        if (dropout == null) {
            return;
        }
        for (int i = 0; i < values.length; i++) {
            boolean stays = HostRandom.draw(dropout.seed() + layer, i) >= dropout.rate();
            values[i] = stays ? values[i] / (1 - dropout.rate()) : 0;
        }
    }

    private void step(int part, int n, int s, double[] input, double[] hx, double[] cx) {
        int row = row(part, n, s);
        int first = (part * batch + s) * width;
        boolean begins = n == 0;
        double[] states = begins ? hx : kept;
        int state = begins ? first : output(part, row(part, n - 1, s));
        int given = (int) layers.width(part);
        double[] shown = new double[hidden];
        for (int u = 0; u < hidden; u++) {
            double[] fromInput = new double[gates];
            double[] fromState = new double[gates];
            for (int g = 0; g < gates; g++) {
                int unit = g * hidden + u;
                fromInput[g] =
                        dot(input, row * given, matrix(part, false) + unit * given, given) + bias(part, false, unit);
                fromState[g] = dot(states, state, matrix(part, true) + unit * width, width) + bias(part, true, unit);
            }
            double cell = cellBefore(part, n, s, u, cx);
            double before = layers.projects() ? 0 : states[state + u];
            shown[u] = unit(part, row, u, fromInput, fromState, before, cell);
        }
        for (int p = 0; p < width; p++) {
            kept[output(part, row) + p] =
                    layers.projects() ? dot(shown, 0, (int) layers.projection(part) + p * hidden, hidden) : shown[p];
        }
    }

    private double cellBefore(int part, int n, int s, int u, double[] cx) {
        if (layers.cell() != Cell.LSTM) {
            return 0;
        }
        return n == 0 ? cx[(part * batch + s) * hidden + u] : kept[further(part, row(part, n - 1, s)) + u];
    }

    int matrix(int part, boolean ofState) {
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

    /** Keeps a unit's gates and its further state; returns what it shows. */
    private double unit(int part, int row, int u, double[] x, double[] h, double before, double cell) {
        int more = gates > 1 ? further(part, row) + u : 0;
        int first = gate(part, row, 0) + u;
        switch (layers.cell()) {
            case RELU -> kept[first] = Math.max(0, x[0] + h[0]);
            case TANH -> kept[first] = Math.tanh(x[0] + h[0]);
            case LSTM -> {
                for (int g = 0; g < gates; g++) {
                    kept[first + g * hidden] = g == 2 ? Math.tanh(x[g] + h[g]) : HostRecurrent.sigmoid(x[g] + h[g]);
                }
                kept[more] = kept[first + hidden] * cell + kept[first] * kept[first + 2 * hidden];
                return kept[first + 3 * hidden] * Math.tanh(kept[more]);
            }
            case GRU -> {
                double reset = HostRecurrent.sigmoid(x[0] + h[0]);
                double update = HostRecurrent.sigmoid(x[1] + h[1]);
                double candidate = Math.tanh(x[2] + reset * h[2]);
                kept[first] = reset;
                kept[first + hidden] = update;
                kept[first + 2 * hidden] = candidate;
                kept[more] = h[2];
                return (1 - update) * candidate + update * before;
            }
        }
        return kept[first];
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
        int size = cells ? hidden : width;
        double[] out = new double[layers.parts() * batch * size];
        for (int part = 0; part < layers.parts(); part++) {
            for (int s = 0; s < batch; s++) {
                int row = row(part, steps - 1, s);
                int from = cells ? further(part, row) : output(part, row);
                System.arraycopy(kept, from, out, (part * batch + s) * size, size);
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
            double[] below = new double[rows * (int) layers.width(layer * layers.directions())];
            for (int d = 0; d < layers.directions(); d++) {
                int part = layer * layers.directions() + d;
                for (int n = steps - 1; n >= 0; n--) {
                    for (int s = 0; s < batch; s++) {
                        stepBack(part, n, s, above, below, hx, cx, dh, dc);
                    }
                }
            }
            if (layer > 0) {
                drop(layer - 1, below);
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
        int own = (part * batch + s) * width;
        int cells = (part * batch + s) * hidden;
        int from = (row * layers.directions() + part % layers.directions()) * width;
        double[] gradient = new double[width];
        Arrays.setAll(gradient, u -> dh[own + u] + above[from + u]);
        double[] shown = layers.projects() ? shown(part, row) : gradient;
        double[] ofShown = layers.projects() ? pulled(part, gradient) : gradient;
        double[] direct = new double[hidden];
        for (int u = 0; u < hidden; u++) {
            double before = layers.projects() ? 0 : n == 0 ? hx[own + u] : kept[output(part, row(part, n - 1, s)) + u];
            double cell = cellBefore(part, n, s, u, cx);
            direct[u] = unitBack(part, row, u, ofShown[u], before, cell, dc, cells + u);
        }
        if (layers.projects()) { // what the weights' gradients need of this step
            System.arraycopy(shown, 0, kept, further(part, row), hidden);
            System.arraycopy(gradient, 0, kept, output(part, row), width);
        }
        int given = (int) layers.width(part);
        System.arraycopy(direct, 0, dh, own, width);
        for (int g = 0; g < gates; g++) {
            for (int u = 0; u < hidden; u++) {
                int unit = g * hidden + u;
                add(kept[gate(part, row, g) + u], matrix(part, false) + unit * given, below, row * given, given);
                add(stateGradient(part, row, g, u), matrix(part, true) + unit * width, dh, own, width);
            }
        }
    }

    /** What an LSTM's cells show before it is projected. */
    private double[] shown(int part, int row) {
        double[] out = new double[hidden];
        Arrays.setAll(out, u -> kept[gate(part, row, 3) + u] * Math.tanh(kept[further(part, row) + u]));
        return out;
    }

    private double[] pulled(int part, double... gradient) {
        double[] out = new double[hidden];
        for (int p = 0; p < width; p++) {
            add(gradient[p], (int) layers.projection(part) + p * hidden, out, 0, hidden);
        }
        return out;
    }

    private void add(double factor, int weight, double[] sums, int at, int count) {
        for (int i = 0; i < count; i++) {
            sums[at + i] += factor * weights[weight + i];
        }
    }

    /** The gradient of a gate's sum as far as the state made it. */
    double stateGradient(int part, int row, int gate, int u) {
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
}
