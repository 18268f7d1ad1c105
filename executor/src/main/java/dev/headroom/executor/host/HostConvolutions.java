package dev.headroom.executor.host;

import dev.headroom.executor.kernel.ConvolutionCall;
import dev.headroom.executor.kernel.ConvolutionKernels;
import dev.headroom.executor.tensor.Tensor;

/** Convolutions as their definition has it, row by row. */
final class HostConvolutions implements ConvolutionKernels {
    private final HostArrays arrays;

    HostConvolutions(HostArrays arrays) {
        this.arrays = arrays;
    }

    @Override
    public void convolve(ConvolutionCall call, Scratch scratch) {
        convolveDirectly(call);
    }

    @Override
    public void convolveDirectly(ConvolutionCall call) {
        Walk walk =
                new Walk(call, values(call, call.input()), values(call, call.weight()), values(call, call.output()));
        walk.run((int) call.input().size(0), (int) call.input().size(1), (int)
                call.output().size(1));
        arrays.write(call.result(), walk.result());
    }

    /** Values of an operand, zeros for the result. */
    private double[] values(ConvolutionCall call, Tensor t) {
        return t == call.result() ? new double[Math.toIntExact(t.elements())] : arrays.read(t);
    }

    /** Depth, height, width; the depth of two dimensions is 1. */
    private static int[] spatial(Tensor t) {
        int n = t.dims();
        return new int[] {n == 5 ? (int) t.size(2) : 1, (int) t.size(n - 2), (int) t.size(n - 1)};
    }

    /** All the products of a convolution. */
    private static final class Walk {
        private final Direction direction;
        private final double[] x;
        private final double[] w;
        private final double[] y;
        private final int[] in;
        private final int[] kernel;
        private final int[] out;
        private final int[] stride;
        private final int[] padding;
        private final int[] dilation;
        private final int groups;

        Walk(ConvolutionCall call, double[] x, double[] w, double[] y) {
            Geometry g = call.geometry();
            this.direction = call.direction();
            this.x = x;
            this.w = w;
            this.y = y;
            this.in = spatial(call.input());
            this.kernel = spatial(call.weight());
            this.out = spatial(call.output());
            this.stride = three(g.stride(), 1);
            this.padding = three(g.padding(), 0);
            this.dilation = three(g.dilation(), 1);
            this.groups = (int) g.groups();
        }

        private static int[] three(long[] values, int depth) {
            int n = values.length;
            return new int[] {n == 3 ? (int) values[0] : depth, (int) values[n - 2], (int) values[n - 1]};
        }

        double[] result() {
            return switch (direction) {
                case OUTPUT -> y;
                case INPUT_GRADIENT -> x;
                case WEIGHT_GRADIENT -> w;
            };
        }

        void run(int batch, int channels, int features) {
            int share = channels / groups;
            int plane = kernel[0] * kernel[1] * kernel[2];
            for (int n = 0; n < batch; n++) {
                for (int k = 0; k < features; k++) {
                    int group = k / (features / groups);
                    for (int c = 0; c < share; c++) {
                        int inPlane = (n * channels + group * share + c) * in[0] * in[1] * in[2];
                        int outPlane = (n * features + k) * out[0] * out[1] * out[2];
                        planes(inPlane, (k * share + c) * plane, outPlane);
                    }
                }
            }
        }

        private void planes(int inPlane, int kernelPlane, int outPlane) {
            for (int d = 0; d < kernel[0]; d++) {
                for (int h = 0; h < kernel[1]; h++) {
                    for (int v = 0; v < kernel[2]; v++) {
                        rows(inPlane, kernelPlane + (d * kernel[1] + h) * kernel[2] + v, outPlane, d, h, v);
                    }
                }
            }
        }

        /** All rows of the result that one element of the kernel goes into. */
        private void rows(int inPlane, int weight, int outPlane, int d, int h, int v) {
            int shift = v * dilation[2] - padding[2];
            int from = Math.max(0, Math.floorDiv(-shift + stride[2] - 1, stride[2]));
            int to = Math.min(out[2], Math.floorDiv(in[2] - 1 - shift, stride[2]) + 1);
            for (int od = 0; od < out[0]; od++) {
                int id = od * stride[0] + d * dilation[0] - padding[0];
                for (int oh = 0; oh < out[1]; oh++) {
                    int ih = oh * stride[1] + h * dilation[1] - padding[1];
                    if (id >= 0 && id < in[0] && ih >= 0 && ih < in[1]) {
                        row(
                                inPlane + (id * in[1] + ih) * in[2] + shift,
                                weight,
                                outPlane + (od * out[1] + oh) * out[2],
                                from,
                                to);
                    }
                }
            }
        }

        private void row(int inRow, int weight, int outRow, int from, int to) {
            int step = stride[2];
            switch (direction) {
                case OUTPUT -> {
                    double factor = w[weight];
                    for (int i = from; i < to; i++) {
                        y[outRow + i] += factor * x[inRow + i * step];
                    }
                }
                case INPUT_GRADIENT -> {
                    double factor = w[weight];
                    for (int i = from; i < to; i++) {
                        x[inRow + i * step] += factor * y[outRow + i];
                    }
                }
                case WEIGHT_GRADIENT -> {
                    double sum = 0;
                    for (int i = from; i < to; i++) {
                        sum += x[inRow + i * step] * y[outRow + i];
                    }
                    w[weight] += sum;
                }
            }
        }
    }
}
