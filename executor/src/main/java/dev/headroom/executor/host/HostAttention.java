package dev.headroom.executor.host;

import dev.headroom.executor.kernel.AttentionCall;
import dev.headroom.executor.kernel.AttentionKernels;
import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

final class HostAttention implements AttentionKernels {
    private final HostArrays arrays;

    HostAttention(HostArrays arrays) {
        this.arrays = arrays;
    }

    /** One query's weights after the softmax and, separately, after dropout. */
    private record Weights(double[] before, double[] after, double logSumExp) {}

    /** The operands as arrays. */
    private final class Operands {
        final int batches;
        final int heads;
        final int queries;
        final int keys;
        final int size;
        final int valueSize;
        final int keyHeads;
        final int valueHeads;
        final double[] q;
        final double[] k;
        final double[] v;
        final double @Nullable [] bias;
        final AttentionCall.Spec spec;

        Operands(AttentionCall call) {
            this.batches = (int) call.batch();
            this.heads = (int) call.heads();
            this.queries = (int) call.queries();
            this.keys = (int) call.keys();
            this.size = (int) call.q().size(3);
            this.valueSize = (int) call.v().size(3);
            this.keyHeads = (int) call.k().size(1);
            this.valueHeads = (int) call.v().size(1);
            this.q = arrays.read(call.q());
            this.k = arrays.read(call.k());
            this.v = arrays.read(call.v());
            long[] scores = {batches, heads, queries, keys};
            this.bias = call.bias() == null ? null : arrays.read(call.bias(), scores);
            this.spec = call.spec();
        }

        int queryRow(int b, int h, int i) {
            return (b * heads + h) * queries + i;
        }

        int keyRow(int b, int h, int j) {
            return (b * keyHeads + h * keyHeads / heads) * keys + j;
        }

        int valueRow(int b, int h, int j) {
            return (b * valueHeads + h * valueHeads / heads) * keys + j;
        }

        Weights weights(int b, int h, int i) {
            int row = queryRow(b, h, i);
            double[] out = new double[keys];
            double most = Double.NEGATIVE_INFINITY;
            for (int j = 0; j < keys; j++) {
                out[j] = spec.causal() && j > i ? Double.NEGATIVE_INFINITY : score(row, keyRow(b, h, j), j);
                most = Math.max(most, out[j]);
            }
            double sum = 0;
            for (int j = 0; j < keys; j++) {
                // A query that may see nothing gives nothing.
                out[j] = most == Double.NEGATIVE_INFINITY ? 0 : Math.exp(out[j] - most);
                sum += out[j];
            }
            double[] dropped = new double[keys];
            for (int j = 0; j < keys; j++) {
                out[j] = sum == 0 ? 0 : out[j] / sum;
                dropped[j] = out[j] * keep(row, j);
            }
            return new Weights(out, dropped, most + Math.log(sum));
        }

        private double score(int row, int key, int j) {
            double dot = 0;
            for (int c = 0; c < size; c++) {
                dot += q[row * size + c] * k[key * size + c];
            }
            return dot * spec.scale() + (bias == null ? 0 : bias[row * keys + j]);
        }

        /** What a weight is multiplied with: 0 when it is dropped. */
        double keep(int row, int j) {
            if (spec.dropout() == 0) {
                return 1;
            }
            return HostRandom.draw(spec.seed(), row * keys + j) < spec.dropout() ? 0 : 1 / (1 - spec.dropout());
        }
    }

    @Override
    public void attention(AttentionCall call) {
        Operands c = new Operands(call);
        Tensor logSumExp = call.logSumExp();
        double[] out = new double[c.batches * c.heads * c.queries * c.valueSize];
        int padded = logSumExp == null ? 0 : (int) logSumExp.size(2);
        double[] sums = new double[c.batches * c.heads * padded];
        for (int b = 0; b < c.batches; b++) {
            for (int h = 0; h < c.heads; h++) {
                for (int i = 0; i < c.queries; i++) {
                    Weights w = c.weights(b, h, i);
                    int to = c.queryRow(b, h, i) * c.valueSize;
                    for (int j = 0; j < c.keys; j++) {
                        int from = c.valueRow(b, h, j) * c.valueSize;
                        for (int d = 0; d < c.valueSize; d++) {
                            out[to + d] += w.after()[j] * c.v[from + d];
                        }
                    }
                    if (i < padded) {
                        sums[(b * c.heads + h) * padded + i] = w.logSumExp();
                    }
                }
            }
        }
        arrays.write(call.result(), out);
        if (logSumExp != null) {
            arrays.write(logSumExp, sums);
        }
    }

    @Override
    public void attentionBackward(AttentionCall call, Tensor g, AttentionCall.Gradients gradients) {
        Operands c = new Operands(call);
        double scale = call.spec().scale();
        double[] gs = arrays.read(g);
        double[] outQ = new double[c.q.length];
        double[] outK = new double[(int) gradients.k().elements()];
        double[] outV = new double[(int) gradients.v().elements()];
        double[] outBias = gradients.bias() == null ? null : new double[c.batches * c.heads * c.queries * c.keys];
        int keyHeads = (int) gradients.k().size(1);
        int valueHeads = (int) gradients.v().size(1);
        double[] dots = new double[c.keys];
        for (int b = 0; b < c.batches; b++) {
            for (int h = 0; h < c.heads; h++) {
                int dkHead = (b * keyHeads + h * keyHeads / c.heads) * c.keys;
                int dvHead = (b * valueHeads + h * valueHeads / c.heads) * c.keys;
                for (int i = 0; i < c.queries; i++) {
                    int row = c.queryRow(b, h, i);
                    Weights w = c.weights(b, h, i);
                    double mean = 0;
                    for (int j = 0; j < c.keys; j++) {
                        int from = c.valueRow(b, h, j) * c.valueSize;
                        double dot = 0;
                        for (int d = 0; d < c.valueSize; d++) {
                            double incoming = gs[row * c.valueSize + d];
                            dot += incoming * c.v[from + d];
                            outV[(dvHead + j) * c.valueSize + d] += w.after()[j] * incoming;
                        }
                        dots[j] = dot * c.keep(row, j);
                        mean += dots[j] * w.before()[j];
                    }
                    for (int j = 0; j < c.keys; j++) {
                        double score = w.before()[j] * (dots[j] - mean);
                        if (outBias != null) {
                            outBias[row * c.keys + j] = score;
                        }
                        int key = c.keyRow(b, h, j) * c.size;
                        for (int d = 0; d < c.size; d++) {
                            outQ[row * c.size + d] += score * scale * c.k[key + d];
                            outK[(dkHead + j) * c.size + d] += score * scale * c.q[row * c.size + d];
                        }
                    }
                }
            }
        }
        arrays.write(gradients.q(), outQ);
        arrays.write(gradients.k(), outK);
        arrays.write(gradients.v(), outV);
        if (gradients.bias() != null && outBias != null) {
            arrays.write(gradients.bias(), outBias);
        }
    }
}
