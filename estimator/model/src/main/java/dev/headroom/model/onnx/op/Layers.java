package dev.headroom.model.onnx.op;

import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Products of matrices, convolutions, pooling and normalisation. */
final class Layers {
    private static final SymExpr ONE = SymExpr.of(1);

    private Layers() {}

    static void add(Map<String, Mapping> table) {
        table.put(
                "MatMul",
                c -> c.write("aten.matmul.default", c.dtype(0), matmul(c), "self", c.tensor(0), "other", c.tensor(1)));
        table.put("Gemm", Layers::gemm);
        table.put(
                "torch.nn.Linear",
                c -> c.write(
                        "aten.linear.default",
                        c.dtype(0),
                        matmul(c),
                        "input",
                        c.tensor(0),
                        "weight",
                        c.step("aten.t.default", "self", c.tensor(1)),
                        "bias",
                        c.tensor(2)));
        table.put("Conv", Layers::convolution);
        table.put("RMSNormalization", Layers::rmsNorm);
        table.put("MaxPool", c -> pool(c, "max_pool"));
        table.put("AveragePool", c -> pool(c, "avg_pool"));
        table.put("GlobalAveragePool", c -> global(c, "adaptive_avg_pool"));
        table.put("BatchNormalization", Layers::batchNorm);
        table.put("LayerNormalization", Layers::layerNorm);
        table.put(
                "InstanceNormalization",
                c -> c.write(
                        "aten.instance_norm.default",
                        c.dtype(0),
                        c.sizes(0),
                        "input",
                        c.tensor(0),
                        "weight",
                        c.tensor(1),
                        "bias",
                        c.tensor(2),
                        "running_mean",
                        null,
                        "use_input_stats",
                        true,
                        "momentum",
                        0.1,
                        "eps",
                        c.real("epsilon", 1e-5),
                        "cudnn_enabled",
                        true));
        table.put(
                "GroupNormalization",
                c -> c.write(
                        "aten.group_norm.default",
                        c.dtype(0),
                        c.sizes(0),
                        "input",
                        c.tensor(0),
                        "num_groups",
                        c.number("num_groups", 1),
                        "weight",
                        c.tensor(1),
                        "bias",
                        c.tensor(2)));
        table.put("Softmax", c -> softmax(c, "aten.softmax.int"));
        table.put("LogSoftmax", c -> softmax(c, "aten.log_softmax.int"));
        table.put("Dropout", c -> c.same(0));
        table.put("Identity", c -> c.same(0));
    }

    private static @Nullable List<SymExpr> matmul(Call c) {
        List<SymExpr> a = c.sizes(0);
        List<SymExpr> b = c.sizes(1);
        if (a == null || b == null || a.size() < 2 || b.size() < 2) {
            return null;
        }
        List<SymExpr> out = new ArrayList<>(Dims.broadcast(a.subList(0, a.size() - 2), b.subList(0, b.size() - 2)));
        out.add(a.get(a.size() - 2));
        out.add(b.get(b.size() - 1));
        return out;
    }

    /** What nn.Linear is exported as; other forms are {@code addmm} over views of the transposed. */
    private static void gemm(Call c) {
        boolean left = c.number("transA", 0) == 1;
        boolean right = c.number("transB", 0) == 1;
        List<SymExpr> sizes =
                List.of(c.knownSizes(0).get(left ? 1 : 0), c.knownSizes(1).get(right ? 0 : 1));
        double alpha = c.real("alpha", 1);
        double beta = c.real("beta", 1);
        Value a = left ? c.step("aten.t.default", "self", c.tensor(0)) : c.tensor(0);
        if (right && alpha == 1 && beta == 1 && (!c.has(2) || c.rank(2) == 1)) {
            c.write("aten.linear.default", c.dtype(0), sizes, "input", a, "weight", c.tensor(1), "bias", c.optional(2));
            return;
        }
        Value b = right ? c.step("aten.t.default", "self", c.tensor(1)) : c.tensor(1);
        if (c.has(2)) {
            c.write(
                    "aten.addmm.default",
                    c.dtype(0),
                    sizes,
                    "self",
                    c.tensor(2),
                    "mat1",
                    a,
                    "mat2",
                    b,
                    "beta",
                    beta,
                    "alpha",
                    alpha);
        } else {
            c.write("aten.mm.default", c.dtype(0), sizes, "self", a, "mat2", b);
        }
    }

    static List<Long> all(Call c, String attribute, int count, long otherwise) {
        List<Long> given = c.numbers(attribute);
        return given.isEmpty() ? Collections.nCopies(count, otherwise) : given;
    }

    static long[] array(List<Long> list) {
        return list.stream().mapToLong(Long::longValue).toArray();
    }

    /** Windows over the dimensions behind the channels. */
    record Windows(List<Long> kernel, List<Long> stride, List<Long> padding, List<Long> dilation) {
        static Windows of(Call c, List<Long> kernel) {
            int dims = kernel.size();
            String auto = c.text("auto_pad", "NOTSET");
            List<Long> pads = all(c, "pads", 2 * dims, 0);
            boolean even = pads.subList(0, dims).equals(pads.subList(dims, 2 * dims));
            if (dims < 1 || dims > 3 || !even || auto.startsWith("SAME")) {
                throw new NoCounterpart();
            }
            return new Windows(kernel, all(c, "strides", dims, 1), pads.subList(0, dims), all(c, "dilations", dims, 1));
        }

        /** Over what is padded already. */
        static Windows without(Call c, List<Long> kernel) {
            int dims = kernel.size();
            return new Windows(
                    kernel, all(c, "strides", dims, 1), Collections.nCopies(dims, 0L), all(c, "dilations", dims, 1));
        }

        List<SymExpr> results(List<SymExpr> sizes, SymExpr channels, boolean ceil) {
            List<SymExpr> out = new ArrayList<>(List.of(sizes.get(0), channels));
            for (int i = 0; i < kernel.size(); i++) {
                out.add(Dims.window(
                        sizes.get(i + 2), 2 * padding.get(i), kernel.get(i), stride.get(i), dilation.get(i), ceil));
            }
            return out;
        }
    }

    private static void convolution(Call c) {
        List<SymExpr> weight = c.knownSizes(1);
        List<Long> kernel = new ArrayList<>();
        for (SymExpr size : weight.subList(2, weight.size())) {
            kernel.add(size.evaluate(Map.of()));
        }
        List<SymExpr> sizes = c.knownSizes(0);
        Value x = c.tensor(0);
        List<Long> pads = all(c, "pads", 2 * kernel.size(), 0);
        boolean uneven = !pads.subList(0, kernel.size()).equals(pads.subList(kernel.size(), 2 * kernel.size()));
        if (uneven) { // what torch.nn.functional.pad did is folded into the convolution
            Images.Padded padded = Images.padded(sizes, pads, 2);
            x = c.step("aten.pad.default", "self", x, "pad", padded.pad(), "mode", "constant");
            sizes = padded.sizes();
        }
        Windows windows = uneven ? Windows.without(c, kernel) : Windows.of(c, kernel);
        c.write(
                "aten.conv" + kernel.size() + "d.default",
                c.dtype(0),
                windows.results(sizes, weight.get(0), false),
                "input",
                x,
                "weight",
                c.tensor(1),
                "bias",
                c.optional(2),
                "stride",
                array(windows.stride()),
                "padding",
                array(windows.padding()),
                "dilation",
                array(windows.dilation()),
                "groups",
                c.number("group", 1));
    }

    private static void pool(Call c, String kind) {
        Windows windows = Windows.of(c, c.numbers("kernel_shape"));
        boolean ceil = c.number("ceil_mode", 0) == 1;
        boolean max = kind.equals("max_pool");
        boolean dilated = windows.dilation().stream().anyMatch(d -> d != 1);
        if (c.outputs() > 1 || dilated && !max) {
            throw new NoCounterpart();
        }
        List<SymExpr> sizes = c.knownSizes(0);
        c.write(
                "aten." + kind + windows.kernel().size() + "d.default",
                c.dtype(0),
                windows.results(sizes, sizes.get(1), ceil),
                "self",
                c.tensor(0),
                "kernel_size",
                array(windows.kernel()),
                "stride",
                array(windows.stride()),
                "padding",
                array(windows.padding()),
                "dilation",
                max ? array(windows.dilation()) : null,
                "ceil_mode",
                ceil);
    }

    private static void global(Call c, String kind) {
        List<SymExpr> sizes = c.knownSizes(0);
        int dims = sizes.size() - 2;
        List<SymExpr> out = new ArrayList<>(sizes.subList(0, 2));
        out.addAll(Collections.nCopies(dims, ONE));
        c.write(
                "aten." + kind + dims + "d.default",
                c.dtype(0),
                out,
                "self",
                c.tensor(0),
                "output_size",
                array(Collections.nCopies(dims, 1L)));
    }

    private static void batchNorm(Call c) {
        if (c.number("training_mode", 0) == 1) {
            throw new NoCounterpart();
        }
        c.write(
                "aten.batch_norm.default",
                c.dtype(0),
                c.sizes(0),
                "input",
                c.tensor(0),
                "weight",
                c.tensor(1),
                "bias",
                c.tensor(2),
                "running_mean",
                c.tensor(3),
                "running_var",
                c.tensor(4),
                "training",
                false);
    }

    private static void layerNorm(Call c) {
        List<SymExpr> sizes = c.knownSizes(0);
        int axis = Call.dim(c.number("axis", -1), sizes.size());
        if (c.outputs() > 1) {
            throw new NoCounterpart();
        }
        c.write(
                "aten.layer_norm.default",
                c.dtype(0),
                sizes,
                "input",
                c.tensor(0),
                "normalized_shape",
                sizes.subList(axis, sizes.size()).toArray(SymExpr[]::new),
                "weight",
                c.tensor(1),
                "bias",
                c.optional(2),
                "eps",
                c.real("epsilon", 1e-5));
    }

    private static void rmsNorm(Call c) {
        List<SymExpr> sizes = c.knownSizes(0);
        int axis = Call.dim(c.number("axis", -1), sizes.size());
        SymExpr[] last = sizes.subList(axis, sizes.size()).toArray(SymExpr[]::new);
        double eps = c.real("epsilon", 1e-5);
        Value x = c.tensor(0);
        Value weight = c.tensor(1);
        c.write(
                "aten.rms_norm.default",
                c.dtype(0),
                sizes,
                "input",
                x,
                "normalized_shape",
                last,
                "weight",
                weight,
                "eps",
                eps);
    }

    /** Before version 13, dimensions from the axis on are one: the same where it is the last. */
    private static void softmax(Call c, String target) {
        long axis = c.number("axis", c.opset() < 13 ? 1 : -1);
        if (c.opset() < 13 && Call.dim(axis, c.rank(0)) != c.rank(0) - 1) {
            throw new NoCounterpart();
        }
        c.write(target, c.dtype(0), c.sizes(0), "self", c.tensor(0), "dim", axis);
    }
}
