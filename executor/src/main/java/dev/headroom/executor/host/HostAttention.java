package dev.headroom.executor.host;

import dev.headroom.executor.kernel.AttentionKernels;
import dev.headroom.executor.tensor.Tensor;

final class HostAttention implements AttentionKernels {
    private final HostArrays arrays;

    HostAttention(HostArrays arrays) {
        this.arrays = arrays;
    }

    /** One query's weights after the softmax and, separately, after dropout. */
    private record Weights(double[] before, double[] after, double logSumExp) {}

    /** The operands as arrays. */
    private final class Call {
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
        final double[] bias;
        final Spec spec;

        Call(Tensor q, Tensor k, Tensor v, Tensor bias, Spec spec) {
            this.batches = (int) q.size(0);
            this.heads = (int) q.size(1);
            this.queries = (int) q.size(2);
            this.keys = (int) k.size(2);
            this.size = (int) q.size(3);
            this.valueSize = (int) v.size(3);
            this.keyHeads = (int) k.size(1);
            this.valueHeads = (int) v.size(1);
            this.q = arrays.read(q);
            this.k = arrays.read(k);
            this.v = arrays.read(v);
            this.bias = bias == null ? null : arrays.read(bias, new long[] {batches, heads, queries, keys});
            this.spec = spec;
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
    public void attention(Tensor result, Tensor logSumExp, Tensor q, Tensor k, Tensor v, Tensor bias, Spec spec) {
        Call c = new Call(q, k, v, bias, spec);
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
        arrays.write(result, out);
        if (logSumExp != null) {
            arrays.write(logSumExp, sums);
        }
    }

    @Override
    public void attentionGradient(
            Tensor dq,
            Tensor dk,
            Tensor dv,
            Tensor dbias,
            Tensor g,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor bias,
            Tensor result,
            Tensor logSumExp,
            Spec spec) {
        Call c = new Call(q, k, v, bias, spec);
        double[] gs = arrays.read(g);
        double[] outQ = new double[c.q.length];
        double[] outK = new double[(int) dk.elements()];
        double[] outV = new double[(int) dv.elements()];
        double[] outBias = dbias == null ? null : new double[c.batches * c.heads * c.queries * c.keys];
        int keyHeads = (int) dk.size(1);
        int valueHeads = (int) dv.size(1);
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
                            outQ[row * c.size + d] += score * spec.scale() * c.k[key + d];
                            outK[(dkHead + j) * c.size + d] += score * spec.scale() * c.q[row * c.size + d];
                        }
                    }
                }
            }
        }
        arrays.write(dq, outQ);
        arrays.write(dk, outK);
        arrays.write(dv, outV);
        if (dbias != null) {
            arrays.write(dbias, outBias);
        }
    }
}
