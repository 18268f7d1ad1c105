package dev.headroom.model.dsl;

import dev.headroom.model.graph.DType;
import java.util.LinkedHashMap;
import java.util.Map;

/** The layers of {@code torch.nn}, with its defaults. */
public final class Layers {
    /** A module that is one operator over its input. */
    private static final class Operator extends Layer {
        private final String type;
        private final String target;
        private final String input;
        private final Map<String, Object> arguments;

        private Operator(String type, String target, String input, Map<String, Object> arguments) {
            this.type = type;
            this.target = target;
            this.input = input;
            this.arguments = arguments;
        }

        @Override
        protected Value forward(Scope scope, Value... inputs) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put(input, inputs[0]);
            all.putAll(arguments);
            for (String name : held.keySet()) {
                all.put(name, scope.parameter(name));
            }
            return scope.op(target, all);
        }

        @Override
        protected String type() {
            return type;
        }
    }

    private Layers() {}

    private static Operator operator(String type, String target, String input, Object... arguments) {
        Map<String, Object> named = new LinkedHashMap<>();
        for (int i = 0; i < arguments.length; i += 2) {
            named.put((String) arguments[i], arguments[i + 1]);
        }
        return new Operator("torch.nn.modules." + type, target, input, named);
    }

    /** {@code nn.Linear} with bias. */
    public static Layer linear(long in, long out) {
        return linear(in, out, true);
    }

    /** {@code nn.Linear}. */
    public static Layer linear(long in, long out, boolean bias) {
        Operator m = operator("linear.Linear", "aten.linear.default", "input");
        return withWeights(m, out, bias, out, in);
    }

    /** {@code nn.Conv2d} with a square kernel and bias. */
    public static Layer conv2d(long in, long out, long kernel, long stride, long padding) {
        return conv2d(in, out, kernel, stride, padding, 1, true);
    }

    /** {@code nn.Conv2d} with a square kernel. */
    public static Layer conv2d(long in, long out, long kernel, long stride, long padding, long groups, boolean bias) {
        return conv2d(in, out, kernel, stride, padding, 1, groups, bias);
    }

    /** {@code nn.Conv2d} with a square kernel and dilation. */
    public static Layer conv2d(
            long in, long out, long kernel, long stride, long padding, long dilation, long groups, boolean bias) {
        Operator m = convolution("conv.Conv2d", "aten.conv2d.default", stride, padding, "dilation", dilation, groups);
        return withWeights(m, out, bias, out, in / groups, kernel, kernel);
    }

    /** {@code nn.Conv3d} that cuts its input into blocks: as far from one to the next as the kernel is wide. */
    public static Layer blocks3d(long in, long out, long[] kernel, boolean bias) {
        Operator m = operator("conv.Conv3d", "aten.conv3d.default", "input", "stride", kernel);
        return withWeights(m, out, bias, out, in, kernel[0], kernel[1], kernel[2]);
    }

    /**
     * {@code nn.ConvTranspose2d} with a square kernel.
     *
     * @param outputPadding added to one side of the result's height and width
     */
    public static Layer convTranspose2d(
            long in, long out, long kernel, long stride, long padding, long outputPadding, long groups, boolean bias) {
        Operator m = convolution(
                "conv.ConvTranspose2d",
                "aten.conv_transpose2d.input",
                stride,
                padding,
                "output_padding",
                outputPadding,
                groups);
        return withWeights(m, out, bias, in, out / groups, kernel, kernel);
    }

    /** @param further the argument that only this kind of convolution has */
    private static Operator convolution(
            String type, String target, long stride, long padding, String further, long value, long groups) {
        return operator(
                type,
                target,
                "input",
                "stride",
                new long[] {stride, stride},
                "padding",
                new long[] {padding, padding},
                further,
                new long[] {value, value},
                "groups",
                groups);
    }

    /** Gives a layer its weight and, if wanted, a bias of so many elements. */
    private static Layer withWeights(Operator m, long out, boolean bias, long... weight) {
        m.parameter("weight", weight);
        if (bias) {
            m.parameter("bias", out);
        }
        return m;
    }

    /** {@code nn.BatchNorm2d}. */
    public static Layer batchNorm2d(long channels) {
        return new BatchNorm("BatchNorm2d", channels);
    }

    /** {@code nn.BatchNorm1d}. */
    public static Layer batchNorm1d(long channels) {
        return new BatchNorm("BatchNorm1d", channels);
    }

    /** Counts its batches, then normalises; in evaluation it only normalises. */
    private static final class BatchNorm extends Layer {
        private final String type;

        private BatchNorm(String type, long channels) {
            this.type = type;
            parameter("weight", channels);
            parameter("bias", channels);
            buffer("running_mean", DType.FLOAT32, channels);
            buffer("running_var", DType.FLOAT32, channels);
            buffer("num_batches_tracked", DType.INT64);
        }

        @Override
        protected Value forward(Scope scope, Value... inputs) {
            if (scope.training()) {
                scope.op(
                        "aten.add_.Tensor",
                        Scope.arguments("self", scope.parameter("num_batches_tracked"), "other", 1));
            }
            Map<String, Object> arguments = new LinkedHashMap<>();
            arguments.put("input", inputs[0]);
            for (String name : new String[] {"weight", "bias", "running_mean", "running_var"}) {
                arguments.put(name, scope.parameter(name));
            }
            arguments.put("training", scope.training());
            return scope.op("aten.batch_norm.default", arguments);
        }

        @Override
        protected String type() {
            return "torch.nn.modules.batchnorm." + type;
        }
    }

    /** {@code nn.LayerNorm} over the last dimension. */
    public static Layer layerNorm(long width) {
        Operator m = operator(
                "normalization.LayerNorm", "aten.layer_norm.default", "input", "normalized_shape", new long[] {width});
        m.parameter("weight", width);
        m.parameter("bias", width);
        return m;
    }

    /** {@code nn.GroupNorm}. */
    public static Layer groupNorm(long groups, long channels) {
        Operator m = operator("normalization.GroupNorm", "aten.group_norm.default", "input", "num_groups", groups);
        m.parameter("weight", channels);
        m.parameter("bias", channels);
        return m;
    }

    /** {@code nn.Embedding}. */
    public static Layer embedding(long rows, long width) {
        Operator m = operator("sparse.Embedding", "aten.embedding.default", "indices");
        m.parameter("weight", rows, width);
        return m;
    }

    /** {@code nn.ReLU}. */
    public static Layer relu() {
        return operator("activation.ReLU", "aten.relu.default", "self");
    }

    /** {@code nn.ReLU(inplace=True)}. */
    public static Layer reluInPlace() {
        return operator("activation.ReLU", "aten.relu_.default", "self");
    }

    /** {@code nn.GELU}. */
    public static Layer gelu() {
        return operator("activation.GELU", "aten.gelu.default", "self");
    }

    /** {@code nn.SiLU}. */
    public static Layer silu() {
        return operator("activation.SiLU", "aten.silu.default", "self");
    }

    /** {@code nn.Sigmoid}. */
    public static Layer sigmoid() {
        return operator("activation.Sigmoid", "aten.sigmoid.default", "self");
    }

    /** {@code nn.Tanh}. */
    public static Layer tanh() {
        return operator("activation.Tanh", "aten.tanh.default", "self");
    }

    /**
     * A layer of {@code torch.nn.modules.activation} without parameters or arguments.
     *
     * @param type its class, such as {@code LeakyReLU}
     * @param operator its ATen operator without the overload, such as {@code leaky_relu}, or {@code leaky_relu_} with
     *     {@code inplace=True}
     */
    public static Layer activation(String type, String operator) {
        return operator("activation." + type, "aten." + operator + ".default", "self");
    }

    /** {@code nn.PReLU} with one slope. */
    public static Layer prelu() {
        Operator m = operator("activation.PReLU", "aten.prelu.default", "self");
        m.parameter("weight", 1);
        return m;
    }

    /** {@code nn.Softmax} over a dimension. */
    public static Layer softmax(long dim) {
        return operator("activation.Softmax", "aten.softmax.int", "self", "dim", dim);
    }

    /** {@code nn.Dropout}. */
    public static Layer dropout(double p) {
        return new Dropout(p);
    }

    /** {@code nn.Dropout}. */
    private static final class Dropout extends Layer {
        private final double p;

        private Dropout(double p) {
            this.p = p;
        }

        @Override
        protected Value forward(Scope scope, Value... inputs) {
            return scope.op(
                    "aten.dropout.default", Scope.arguments("input", inputs[0], "p", p, "train", scope.training()));
        }

        @Override
        protected String type() {
            return "torch.nn.modules.dropout.Dropout";
        }
    }

    private static Operator pool2d(String type, String target, long kernel, long stride, long padding) {
        return operator(
                type,
                target,
                "self",
                "kernel_size",
                new long[] {kernel, kernel},
                "stride",
                new long[] {stride, stride},
                "padding",
                new long[] {padding, padding});
    }

    /** {@code nn.MaxPool2d}. */
    public static Layer maxPool2d(long kernel, long stride, long padding) {
        return pool2d("pooling.MaxPool2d", "aten.max_pool2d.default", kernel, stride, padding);
    }

    /** {@code nn.AvgPool2d}. */
    public static Layer avgPool2d(long kernel, long stride, long padding) {
        return pool2d("pooling.AvgPool2d", "aten.avg_pool2d.default", kernel, stride, padding);
    }

    /** {@code nn.Upsample(scale_factor=factor)}: the nearest pixel. */
    public static Layer upsampleNearest(double factor) {
        return operator("upsampling.Upsample", "aten.upsample_nearest2d.vec", "input", "scale_factors", new double[] {
            factor, factor
        });
    }

    /** {@code nn.Upsample(scale_factor=factor, mode="bilinear")}. */
    public static Layer upsampleBilinear(double factor) {
        return operator(
                "upsampling.Upsample",
                "aten.upsample_bilinear2d.vec",
                "input",
                "align_corners",
                false,
                "scale_factors",
                new double[] {factor, factor});
    }

    /** {@code nn.AdaptiveAvgPool2d}. */
    public static Layer adaptiveAvgPool2d(long height, long width) {
        return operator(
                "pooling.AdaptiveAvgPool2d", "aten.adaptive_avg_pool2d.default", "self", "output_size", new long[] {
                    height, width
                });
    }

    /** {@code nn.Flatten}: all dimensions but the first. */
    public static Layer flatten() {
        return operator("flatten.Flatten", "aten.flatten.using_ints", "self", "start_dim", 1);
    }
}
