package dev.headroom.estimator.op.convolution;

import dev.headroom.estimator.op.convolution.Convolution.Parameters;
import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Joining;
import dev.headroom.estimator.op.core.NoGrad;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import java.util.Arrays;
import java.util.function.Supplier;

/** {@code convolution_backward} as autograd records it, and its own gradients (ATen/native/Convolution.cpp). */
final class ConvolutionTwice {
    private static final Registry NONE = new Registry();

    private ConvolutionTwice() {}

    /** @param kernels computes the gradients of input, weight and bias, without history */
    static Tensor[] backward(EagerRuntime rt, Tensor g, Tensor x, Tensor w, Parameters p, Supplier<Tensor[]> kernels) {
        Recorder r = rt.record("ConvolutionBackwardBackward0", g, x, w);
        Saved gradient = r.save(g);
        Saved input = r.save(x);
        Saved weight = r.save(w);
        Tensor[] made = NoGrad.call(rt, kernels);
        r.gradients(grads -> twice(rt, grads, gradient.get(), input.get(), weight.get(), p))
                .again();
        return r.outputs(made);
    }

    /** {@code _convolution_double_backward}: gradients of the gradient, the input and the weight. */
    private static Tensor[] twice(EagerRuntime rt, Tensor[] grads, Tensor gO, Tensor x, Tensor w, Parameters p) {
        Body b = new Body(rt, NONE);
        Tensor ggI = grads[0];
        Tensor ggW = grads[1] == null ? null : held(b, Copies.contiguous(rt, grads[1]), grads[1]);
        Tensor ggO = null;
        if (ggI != null) {
            ggO = convolution(b, ggI, held(b, Copies.contiguous(rt, w), w), p);
        }
        if (ggW != null) {
            Tensor term = convolution(b, x, ggW, p);
            ggO = ggO == null ? term : b.assign(ggO, b.made(Pointwise.add(rt, ggO, term)));
        }
        if (grads[2] != null) {
            long[] sizes = new long[gO.dim()];
            Arrays.fill(sizes, 1);
            sizes[1] = grads[2].size(0);
            Tensor wide = b.let(b.made(Views.expand(rt, Views.view(rt, grads[2], sizes), gO.sizes())));
            ggO = ggO == null ? wide : b.assign(ggO, b.made(Pointwise.add(rt, ggO, wide)));
        }
        Tensor gW = ggI == null ? null : weightGradient(b, ggI, gO, w, p);
        Tensor gI = ggW == null ? null : inputGradient(b, gO, ggW, x, w, p);
        Tensor[] out = {ggO, gI, gW};
        b.giveAll(Arrays.stream(out).filter(t -> t != null).toArray(Tensor[]::new));
        return out;
    }

    private static Tensor held(Body b, Tensor made, Tensor from) {
        return made == from ? from : b.let(b.made(made));
    }

    private static Tensor convolution(Body b, Tensor x, Tensor w, Parameters p) {
        return b.let(b.made(Convolution.convolution(b.runtime(), x, w, null, p)));
    }

    /** A convolution of the transposed gradients; strides and dilations change places. */
    private static Tensor weightGradient(Body b, Tensor ggI, Tensor gO, Tensor w, Parameters p) {
        EagerRuntime rt = b.runtime();
        long[] steps = p.dilation();
        long[] gaps = p.stride();
        Parameters other = new Parameters(steps, p.padding(), gaps, false, p.outputPadding(), 1);
        Tensor gOt = b.let(b.made(Views.transpose(rt, gO, 0, 1)));
        Tensor ggIt = b.let(b.made(Views.transpose(rt, ggI, 0, 1)));
        Tensor made;
        if (p.groups() == 1) {
            made = part(b, ggIt, gOt, p, other);
        } else {
            Tensor[] parts = new Tensor[(int) p.groups()];
            for (int i = 0; i < parts.length; i++) {
                parts[i] = part(b, narrowed(b, ggIt, i, parts.length), narrowed(b, gOt, i, parts.length), p, other);
            }
            made = b.let(b.made(Joining.cat(rt, 1, parts)));
        }
        Tensor turned = b.let(b.made(Views.transpose(rt, made, 0, 1)));
        for (int d = 2; d < turned.dim(); d++) {
            if (turned.size(d) > w.size(d)) {
                turned = b.let(b.made(Views.slice(rt, turned, d, 0, w.size(d), 1)));
            }
        }
        return turned;
    }

    private static Tensor narrowed(Body b, Tensor t, int group, int groups) {
        long n = t.size(0) / groups;
        return b.let(b.made(Views.slice(b.runtime(), t, 0, n * group, n * (group + 1), 1)));
    }

    private static Tensor part(Body b, Tensor ggIt, Tensor gOt, Parameters p, Parameters other) {
        Tensor dense = held(b, Copies.contiguous(b.runtime(), gOt), gOt);
        return p.transposed() ? convolution(b, dense, ggIt, other) : convolution(b, ggIt, dense, other);
    }

    private static Tensor inputGradient(Body b, Tensor gO, Tensor ggW, Tensor x, Tensor w, Parameters p) {
        EagerRuntime rt = b.runtime();
        Tensor dense = held(b, Copies.contiguous(rt, gO), gO);
        if (p.transposed()) {
            Parameters back =
                    new Parameters(p.stride(), p.padding(), p.dilation(), false, p.outputPadding(), p.groups());
            Tensor made = convolution(b, dense, ggW, back);
            for (int d = 2; d < made.dim(); d++) {
                if (made.size(d) > x.size(d)) {
                    made = b.let(b.made(Views.slice(rt, made, d, 0, x.size(d), 1)));
                }
            }
            return made;
        }
        long[] output = p.outputPadding().clone();
        for (int i = 0; i < output.length; i++) {
            long expected = (w.size(i + 2) - 1) * p.dilation()[i]
                    - 2 * p.padding()[i]
                    + p.stride()[i] * (gO.size(i + 2) - 1)
                    + 1;
            output[i] = expected == x.size(i + 2) ? output[i] : x.size(i + 2) - expected;
        }
        return convolution(
                b, dense, ggW, new Parameters(p.stride(), p.padding(), p.dilation(), true, output, p.groups()));
    }
}
