package dev.headroom.executor.host;

import dev.headroom.executor.kernel.IndexingKernels.Alignment;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.Arrays;

/** Tables of {@code ctc_loss}: states of a target are its labels, with blanks before, between and after them. */
final class HostAlignments {
    private static final double NONE = Double.NEGATIVE_INFINITY;

    private final HostArrays arrays;
    private final Alignment of;
    private final double[] logs;
    private final double[] labels;
    private final double[] begins;
    private final double[] targetLengths;
    private final double[] inputLengths;
    private final int steps;
    private final int samples;
    private final int classes;

    HostAlignments(HostArrays arrays, Alignment of, Tensor logs) {
        this.arrays = arrays;
        this.of = of;
        this.logs = arrays.read(logs);
        labels = arrays.read(of.targets());
        begins = arrays.read(of.begins());
        targetLengths = arrays.read(of.targetLengths());
        inputLengths = arrays.read(of.inputLengths());
        steps = (int) logs.size(0);
        samples = (int) logs.size(1);
        classes = (int) logs.size(2);
    }

    private int states(int sample) {
        return 2 * (int) targetLengths[sample] + 1;
    }

    private int label(int sample, int state) {
        int label =
                state % 2 == 0 ? (int) of.blank() : (int) labels[(int) begins[sample] + state / 2 * (int) of.stride()];
        if (label < 0 || label >= classes) {
            throw new UserInputException("ctc_loss: label " + label + " is none of the " + classes + " classes");
        }
        return label;
    }

    /** From a label to the next one, unless they are equal. */
    private boolean skips(int sample, int state) {
        return state % 2 == 1 && label(sample, state) != label(sample, state + 2);
    }

    private double log(int step, int sample, int label) {
        return logs[(step * samples + sample) * classes + label];
    }

    private static double sum(double a, double b, double c) {
        double most = Math.max(Math.max(a, b), c);
        return most == NONE ? NONE : most + Math.log(Math.exp(a - most) + Math.exp(b - most) + Math.exp(c - most));
    }

    void forward(Tensor alpha, Tensor losses) {
        int width = (int) alpha.size(2);
        double[] table = new double[samples * steps * width];
        Arrays.fill(table, NONE);
        double[] out = new double[samples];
        for (int b = 0; b < samples; b++) {
            int states = states(b);
            int length = (int) inputLengths[b];
            for (int t = 0; t < length; t++) {
                int row = (b * steps + t) * width;
                int before = row - width;
                for (int s = 0; s < states; s++) {
                    double way = t == 0
                            ? (s < 2 ? 0 : NONE)
                            : sum(
                                    table[before + s],
                                    s > 0 ? table[before + s - 1] : NONE,
                                    s > 1 && skips(b, s - 2) ? table[before + s - 2] : NONE);
                    table[row + s] = way + log(t, b, label(b, s));
                }
            }
            int last = (b * steps + length - 1) * width + states - 1;
            double all = length == 0
                    ? (states == 1 ? 0 : NONE)
                    : sum(table[last], states > 1 ? table[last - 1] : NONE, NONE);
            out[b] = -all;
        }
        arrays.write(alpha, table);
        arrays.write(losses, out);
    }

    void backward(Tensor beta) {
        int width = (int) beta.size(2);
        double[] table = new double[samples * steps * width];
        Arrays.fill(table, NONE);
        for (int b = 0; b < samples; b++) {
            int states = states(b);
            int length = (int) inputLengths[b];
            for (int t = length - 1; t >= 0; t--) {
                int row = (b * steps + t) * width;
                int after = row + width;
                for (int s = 0; s < states; s++) {
                    double way = t == length - 1
                            ? (s > states - 3 ? 0 : NONE)
                            : sum(
                                    table[after + s],
                                    s + 1 < states ? table[after + s + 1] : NONE,
                                    s + 2 < states && skips(b, s) ? table[after + s + 2] : NONE);
                    table[row + s] = way + log(t, b, label(b, s));
                }
            }
        }
        arrays.write(beta, table);
    }

    void gradient(Tensor[] tables, Tensor losses, Tensor g, Tensor gradient, boolean blanks, boolean spared) {
        double[] alpha = arrays.read(tables[0]);
        double[] beta = arrays.read(tables[1]);
        int width = (int) tables[0].size(2);
        double[] loss = arrays.read(losses);
        double[] up = arrays.read(g);
        double[] out = arrays.read(gradient);
        for (int b = 0; b < samples; b++) {
            for (int t = 0; t < steps; t++) {
                int row = (t * samples + b) * classes;
                if (t >= inputLengths[b]) {
                    Arrays.fill(out, row, row + classes, 0);
                } else if (!spared || !Double.isInfinite(loss[b])) {
                    for (int s = blanks ? 0 : 1; s < states(b); s += blanks ? 1 : 2) {
                        int state = (b * steps + t) * width + s;
                        int label = label(b, s);
                        double share = Math.exp(alpha[state] + beta[state] + loss[b] - log(t, b, label));
                        out[row + label] -= share * up[b];
                    }
                }
            }
        }
        arrays.write(gradient, out);
    }
}
