package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.MemoryFormat;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Functions by other operators' calls: squares, repeated elements, pooling and normalisation of other shapes. */
public final class SmallComposites {
    private SmallComposites() {}

    public static void register(Operators o) {
        Calls.add(o, "aten.square", (c, a) -> c.call("pow", "self", a.tensor("self"), "exponent", 2));
        Calls.add(o, "aten.repeat_interleave", SmallComposites::repeatInterleave);
        Calls.add(o, "aten.adaptive_avg_pool1d", (c, a) -> {
            long size = a.integers("output_size")[0];
            Tensor flat = Views.unsqueeze(c.e(), a.tensor("self"), -2);
            Tensor out = c.call("adaptive_avg_pool2d", "self", flat, "output_size", new long[] {1, size});
            return Views.squeeze(c.e(), out, -2);
        });
        Calls.add(o, "aten.avg_pool1d", (c, a) -> {
            long[] kernel = a.integers("kernel_size");
            long[] stride = a.integers("stride");
            Tensor flat = Views.unsqueeze(c.e(), a.tensor("self"), -2);
            Tensor out = c.call(
                    "avg_pool2d",
                    "self",
                    flat,
                    "kernel_size",
                    new long[] {1, kernel[0]},
                    "stride",
                    new long[] {1, stride.length == 0 ? kernel[0] : stride[0]},
                    "padding",
                    new long[] {0, a.integers("padding", 0)[0]},
                    "ceil_mode",
                    a.flag("ceil_mode", false),
                    "count_include_pad",
                    a.flag("count_include_pad", true));
            return Views.squeeze(c.e(), out, -2);
        });
        Calls.add(o, "aten.one_hot", SmallComposites::oneHot);
        Calls.add(o, "aten.instance_norm", SmallComposites::instanceNorm);
        Calls.add(
                o,
                "aten.multiply",
                (c, a) -> a.isTensor("other")
                        ? c.call("mul", "self", a.tensor("self"), "other", a.tensor("other"))
                        : c.call("mul", "self", a.tensor("self"), "other", a.real("other", 1)));
    }

    /** {@code repeat_interleave} by one number: each entry so often (aten/src/ATen/native/Repeat.cpp). */
    private static Tensor repeatInterleave(Calls c, Arguments a) {
        if (a.isTensor("repeats") || !a.has("self")) {
            throw new UserInputException("repeat_interleave by a tensor gives a size that depends on data");
        }
        Tensor given = a.tensor("self");
        Tensor t = a.has("dim") ? given : Views.reshape(c.e(), given, -1);
        int dim = Layout.dimension(a.integer("dim", 0), t.dims());
        Tensor wide = Views.unsqueeze(c.e(), t, dim + 1);
        long[] sizes = wide.sizes().clone();
        sizes[dim + 1] = a.integer("repeats", 1);
        long[] whole = t.sizes().clone();
        whole[dim] *= sizes[dim + 1];
        Tensor copy = Copies.clone(c.e(), Views.expand(c.e(), wide, sizes), MemoryFormat.CONTIGUOUS);
        return Views.view(c.e(), copy, whole);
    }

    private static Tensor oneHot(Calls c, Arguments a) {
        Tensor index = a.tensor("self");
        long classes = a.integer("num_classes", -1);
        if (classes < 0) {
            throw new UserInputException("one_hot without num_classes gives a size that depends on data");
        }
        long[] sizes = Arrays.copyOf(index.sizes(), index.dims() + 1);
        sizes[index.dims()] = classes;
        Tensor out = c.call("new_zeros", "self", index, "size", sizes);
        return c.call("scatter_", "self", out, "dim", -1, "index", Views.unsqueeze(c.e(), index, -1), "value", 1);
    }

    /** {@code instance_norm}: batch normalisation of as many channels as there are planes (Normalization.cpp). */
    private static Tensor instanceNorm(Calls c, Arguments a) {
        Tensor x = a.tensor("input");
        long n = x.size(0);
        long channels = x.size(1);
        long[] shape = x.sizes().clone();
        shape[0] = 1;
        shape[1] = n * channels;
        Tensor[] weight = repeated(c, a.optional("weight"), n);
        Tensor[] bias = repeated(c, a.optional("bias"), n);
        Tensor[] mean = repeated(c, a.optional("running_mean"), n);
        Tensor[] variance = repeated(c, a.optional("running_var"), n);
        Tensor planes = Views.view(c.e(), Copies.contiguous(c.e(), x), shape);
        Tensor out = c.call(
                "batch_norm",
                "input",
                planes,
                "weight",
                one(weight),
                "bias",
                one(bias),
                "running_mean",
                one(mean),
                "running_var",
                one(variance),
                "training",
                a.flag("use_input_stats", true),
                "momentum",
                a.real("momentum", 0.1),
                "eps",
                a.real("eps", 1e-5),
                "cudnn_enabled",
                a.flag("cudnn_enabled", true));
        average(c, a.optional("running_mean"), mean, n);
        average(c, a.optional("running_var"), variance, n);
        return Views.view(c.e(), out, x.sizes());
    }

    /** A statistic of channels for the channels of each sample; none for none. */
    private static Tensor[] repeated(Calls c, @Nullable Tensor t, long samples) {
        return t == null
                ? new Tensor[] {}
                : new Tensor[] {c.call("repeat", "self", t, "repeats", new long[] {samples})};
    }

    private static Object one(Tensor[] atMost) {
        return atMost.length == 0 ? atMost : atMost[0];
    }

    /** A running statistic becomes the mean of those of the samples. */
    private static void average(Calls c, @Nullable Tensor running, Tensor[] samples, long n) {
        if (running != null) {
            Tensor rows = Views.view(c.e(), samples[0], n, running.size(0));
            Tensor mean = c.call("mean", "self", rows, "dim", new long[] {0}, "keepdim", false);
            c.call("copy_", "self", running, "src", mean);
            c.e().free(mean);
        }
    }
}
