package dev.headroom.executor.op.image;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.ConvolutionCall;
import dev.headroom.executor.kernel.ConvolutionKernels.Direction;
import dev.headroom.executor.kernel.ConvolutionKernels.Geometry;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Formats;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** {@code convolution} and its backward function (aten/src/ATen/native/Convolution.cpp). */
final class Convolutions {
    /**
     * What the operator is told beside its tensors.
     *
     * @param outputPadding of a transposed convolution
     */
    record Spec(Geometry geometry, boolean transposed, long[] outputPadding) {
        /** As a convolution with a dimension of size 1 before its only one. */
        Spec with2d() {
            Geometry g = geometry;
            return new Spec(
                    new Geometry(before(1, g.stride()), before(0, g.padding()), before(1, g.dilation()), g.groups()),
                    transposed,
                    before(0, outputPadding));
        }

        private static long[] before(long first, long[] values) {
            return new long[] {first, values[0]};
        }
    }

    private Convolutions() {}

    /**
     * A convolution of a batch.
     *
     * @param x (n, c, …)
     * @param weight (k, c / groups, …), transposed (c, k / groups, …)
     * @param bias (k) or {@code null}
     */
    static Tensor convolution(Eager e, Tensor x, Tensor weight, @Nullable Tensor bias, Spec spec) {
        requireChannels(x, weight, spec);
        Recorder r = e.record("ConvolutionBackward0", x, weight, bias);
        SavedTensor savedX = r.save(x);
        SavedTensor savedWeight = r.save(weight);
        Tensor out = e.call(() -> forward(e, x, weight, bias, spec));
        return r.backward(g -> backward(e, r, g[0], savedX.get(), savedWeight.get(), spec))
                .output(out);
    }

    private static void requireChannels(Tensor x, Tensor weight, Spec spec) {
        long groups = spec.geometry().groups();
        long wanted = spec.transposed() ? weight.size(0) : weight.size(1) * groups;
        if (x.dims() != weight.dims() || x.size(1) != wanted) {
            throw new UserInputException(
                    "convolution: an input of shape " + Arrays.toString(x.sizes()) + " does not fit weights of shape "
                            + Arrays.toString(weight.sizes()) + " in " + groups + " groups");
        }
    }

    private static Tensor forward(Eager e, Tensor given, Tensor givenWeight, @Nullable Tensor bias, Spec given1) {
        Tensor x = given;
        Tensor weight = givenWeight;
        Spec spec = given1;
        boolean flat = weight.dims() == 3;
        if (flat) {
            // A permuted sequence must not be taken for channels last.
            x = Formats.inserted(e, Formats.packed(e, x), 2);
            weight = Formats.inserted(e, weight, 2);
            spec = spec.with2d();
        }
        Tensor out;
        if (ConvolutionChoice.isNativeDepthwise(x, weight, spec)) {
            out = DepthwiseConvolutions.forward(e, Formats.packed(e, x), weight, bias, spec);
        } else {
            MemoryFormat format = format(x, weight);
            Tensor input = Formats.packed(e, x, format);
            long[] sizes = outputSizes(x, weight, spec);
            out = spec.transposed()
                    ? library(e, Direction.INPUT_GRADIENT, sizes, weight, input, format, spec.geometry())
                    : library(e, Direction.OUTPUT, sizes, weight, input, format, spec.geometry());
            if (bias != null) {
                Elementwise.into(e, Elementwise.ADD, out, out, asChannels(e, bias, x.dims()));
            }
        }
        return flat ? Formats.removed(e, out, 2) : out;
    }

    private static Tensor asChannels(Eager e, Tensor bias, int dims) {
        long[] sizes = new long[dims];
        long[] strides = new long[dims];
        Arrays.fill(sizes, 1);
        Arrays.fill(strides, 1);
        sizes[1] = bias.size(0);
        strides[1] = bias.stride(0);
        return e.alias(bias, sizes, strides, bias.offset());
    }

    /** cudnn_conv_suggest_memory_format: what one of the two has, but double precision is always row-major. */
    static MemoryFormat format(Tensor a, Tensor b) {
        if (a.dtype() == DType.FLOAT64 || b.dtype() == DType.FLOAT64) {
            return MemoryFormat.CONTIGUOUS;
        }
        MemoryFormat first = Formats.suggested(a);
        return first == MemoryFormat.CONTIGUOUS ? Formats.suggested(b) : first;
    }

    /** Sizes of the result. */
    static long[] outputSizes(Tensor x, Tensor weight, Spec spec) {
        Geometry g = spec.geometry();
        long[] out = new long[x.dims()];
        out[0] = x.size(0);
        out[1] = spec.transposed() ? weight.size(1) * g.groups() : weight.size(0);
        for (int d = 2; d < out.length; d++) {
            int i = d - 2;
            long kernel = g.dilation()[i] * (weight.size(d) - 1) + 1;
            out[d] = spec.transposed()
                    ? (x.size(d) - 1) * g.stride()[i] - 2 * g.padding()[i] + kernel + spec.outputPadding()[i]
                    : (x.size(d) + 2 * g.padding()[i] - kernel) / g.stride()[i] + 1;
            if (out[d] <= 0) {
                throw new UserInputException("convolution: an input of shape " + Arrays.toString(x.sizes())
                        + " is too small for weights of shape " + Arrays.toString(weight.sizes()));
            }
        }
        return out;
    }

    /** A product of cuDNN's (aten/src/ATen/native/cudnn/ConvShared.cpp): the result, then packed operands. */
    private static Tensor library(
            Eager e, Direction way, long[] sizes, Tensor weight, Tensor other, MemoryFormat format, Geometry g) {
        Tensor out = Formats.empty(e, other.dtype(), format, sizes);
        if (out.elements() == 0) {
            return out;
        }
        Tensor kernel = Formats.packed(e, weight, format);
        Tensor operand = Formats.packed(e, other, format);
        boolean forward = way == Direction.OUTPUT;
        run(e, new ConvolutionCall(way, forward ? operand : out, kernel, forward ? out : operand, g, caller(e)));
        e.freeUnless(operand, other);
        e.freeUnless(kernel, weight);
        return out;
    }

    private static ConvolutionCall.Caller caller(Eager e) {
        return new ConvolutionCall.Caller(e.settings().deterministic(), e.tape().inBackwardThread());
    }

    private static void run(Eager e, ConvolutionCall call) {
        e.backend().convolutions().convolve(call, e::withWorkspace);
    }

    private static Tensor[] backward(
            Eager e, Recorder r, Tensor given, Tensor givenX, Tensor givenWeight, Spec called) {
        Tensor g = given;
        Tensor x = givenX;
        Tensor weight = givenWeight;
        Spec spec = called;
        boolean flat = weight.dims() == 3;
        if (flat) {
            x = Formats.inserted(e, Formats.packed(e, x), 2);
            g = Formats.inserted(e, g, 2);
            weight = Formats.inserted(e, weight, 2);
            spec = spec.with2d();
        }
        Tensor[] grads = ConvolutionChoice.isNativeDepthwise(x, weight, spec)
                ? DepthwiseConvolutions.backward(e, g, x, weight, spec, r.needs(0), r.needs(1))
                : byLibrary(e, r, g, x, weight, spec);
        if (flat) {
            grads[0] = grads[0] == null ? null : Formats.removed(e, grads[0], 2);
            grads[1] = grads[1] == null ? null : Formats.removed(e, grads[1], 2);
        }
        Tensor gradBias = r.needs(2) ? sumOfChannels(e, g) : null;
        return new Tensor[] {grads[0], grads[1], gradBias};
    }

    private static Tensor[] byLibrary(Eager e, Recorder r, Tensor given, Tensor givenX, Tensor weight, Spec spec) {
        MemoryFormat format = format(givenX, weight);
        // The input is only looked at for the weights' gradient.
        Tensor x = r.needs(1) ? Formats.packed(e, givenX, format) : givenX;
        Tensor g = spec.transposed()
                ? Formats.packed(e, given, Formats.suggested(x))
                : Formats.turned(e, given, Formats.suggested(x));
        Geometry geometry = spec.geometry();
        Tensor[] out = new Tensor[2];
        if (r.needs(0)) {
            Direction way = spec.transposed() ? Direction.OUTPUT : Direction.INPUT_GRADIENT;
            // What a transposed convolution's gradient reads decides alone (cudnn_convolution_forward).
            MemoryFormat of = spec.transposed() ? format(g, g) : format(g, weight);
            out[0] = library(e, way, x.sizes(), weight, g, of, geometry);
        }
        if (r.needs(1)) {
            out[1] = spec.transposed()
                    ? weightGradient(e, weight.sizes(), x, g, geometry)
                    : weightGradient(e, weight.sizes(), g, x, geometry);
        }
        e.freeUnless(g, given);
        e.freeUnless(x, givenX);
        return out;
    }

    private static Tensor weightGradient(Eager e, long[] sizes, Tensor output, Tensor input, Geometry g) {
        MemoryFormat format = format(input, output);
        Tensor packedOutput = Formats.packed(e, output, format);
        Tensor packedInput = Formats.packed(e, input, format);
        Tensor out = Formats.empty(e, input.dtype(), format, sizes);
        run(e, new ConvolutionCall(Direction.WEIGHT_GRADIENT, packedInput, out, packedOutput, g, caller(e)));
        e.freeUnless(packedInput, input);
        e.freeUnless(packedOutput, output);
        return out;
    }

    private static Tensor sumOfChannels(Eager e, Tensor g) {
        long[] kept = new long[g.dims()];
        Arrays.fill(kept, 1);
        kept[1] = g.size(1);
        Tensor sum = Reductions.sum(e, g, kept, g.dtype());
        return e.alias(sum, new long[] {kept[1]}, new long[] {1}, 0);
    }
}
