package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.compile.trace.ConvolutionKey;
import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Traced;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.DType;
import java.util.Map;
import java.util.Set;

/** Convolutions, pooling and resizing of images. */
final class ConvolutionRules {
    /** Offsets in a pooling window fit a byte up to this many elements (torch/_inductor/lowering.py). */
    private static final long BYTE_WINDOW = 128;

    private ConvolutionRules() {}

    static void register(Map<String, Rule> rules) {
        for (String name : new String[] {"conv1d", "conv2d", "conv3d"}) {
            put(rules, name, (ops, s) -> convolution(ops, s, false));
        }
        for (String name : new String[] {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}) {
            put(rules, name, (ops, s) -> convolution(ops, s, true));
        }
        put(rules, "convolution", (ops, s) -> convolution(ops, s, s.flag("transposed", false)));
        put(rules, "max_pool2d", ConvolutionRules::maxPool);
        put(rules, "avg_pool2d", ConvolutionRules::window);
        put(rules, "adaptive_avg_pool2d", ConvolutionRules::adaptive);
        put(rules, "upsample_nearest2d", ConvolutionRules::window);
        put(rules, "upsample_bilinear2d", ConvolutionRules::bilinear);
    }

    private static void put(Map<String, Rule> rules, String name, Rule.Single rule) {
        rules.put("aten." + name, (ops, s) -> new Traced[] {rule.trace(ops, s)});
    }

    /** {@code convolution}; on GPUs its bias is added elementwise, and the bias's gradient is a sum. */
    private static Traced convolution(Ops ops, Site s, boolean transposed) {
        Emit e = ops.emit;
        Traced x = s.tensor("input");
        Traced weight = s.tensor("weight");
        Traced bias = s.tensorOrNull("bias");
        long[] sizes = Output.of(s, x.value(), weight.value(), transposed);
        long groups = s.integer("groups", 1);
        String key = new ConvolutionKey(groups, transposed).text();
        Value out = ops.joint.make(
                Kind.LIBRARY, "aten.convolution", key, x.value().dtype(), sizes, x.value(), weight.value());
        Value result = bias == null
                ? out
                : ops.joint.node(
                        Kind.POINTWISE,
                        "aten.convolution.bias",
                        "",
                        out.dtype(),
                        sizes,
                        out.strides(),
                        java.util.List.of(out, bias.value()));
        return ops.tape.call(
                result,
                g -> {
                    Set<Integer> dims = Emit.all(g);
                    dims.remove(1);
                    Value db = bias != null && bias.requiresGrad() ? e.sum(g, dims, false) : null;
                    Value both = ops.joint.tuple(
                            Kind.LIBRARY,
                            "aten.convolution_backward",
                            key + x.requiresGrad(),
                            g,
                            x.value(),
                            weight.value());
                    Value dx = x.requiresGrad()
                            ? ops.joint.item(both, x.value().dtype(), x.value().sizes())
                            : null;
                    Value dw = weight.requiresGrad()
                            ? ops.joint.item(
                                    both, weight.value().dtype(), weight.value().sizes())
                            : null;
                    return new Value[] {dx, dw, db};
                },
                x,
                weight,
                bias == null ? Traced.constant(weight.value()) : bias);
    }

    /** Max pooling keeps offsets within the window (torch/_inductor/fx_passes, low-memory max pooling). */
    private static Traced maxPool(Ops ops, Site s) {
        Traced x = s.tensor("self");
        Value v = x.value();
        long[] kernel = Output.pair(s, "kernel_size", 1);
        long[] sizes = Output.pooled(s, v.sizes(), kernel);
        Value both = ops.joint.tuple(Kind.WINDOW, "prims._low_memory_max_pool_with_offsets", s.plain(), v);
        Value out = ops.joint.item(both, v.dtype(), sizes);
        boolean small = kernel[0] * kernel[1] <= BYTE_WINDOW;
        Value offsets = ops.joint.item(both, small ? DType.INT8 : DType.INT64, sizes);
        return ops.tape.call(
                out,
                g -> {
                    Value indices = ops.joint.make(
                            Kind.POINTWISE,
                            "prims._low_memory_max_pool_offsets_to_indices",
                            s.plain(),
                            DType.INT64,
                            sizes,
                            offsets);
                    Value zeros = ops.joint.zeros(g.dtype(), v.sizes());
                    return new Value[] {
                        ops.joint.make(
                                Kind.SCATTER,
                                "aten._unsafe_masked_index_put_accumulate",
                                "",
                                g.dtype(),
                                v.sizes(),
                                zeros,
                                indices,
                                g)
                    };
                },
                x);
    }

    private static Traced adaptive(Ops ops, Site s) {
        Traced x = s.tensor("self");
        long[] to = s.integers("output_size");
        int dims = x.value().dim();
        long last = to[to.length - 1];
        if (to[0] == 1 && last == 1) {
            return ops.mean(x, Set.of(dims - 2, dims - 1), true);
        }
        if (to[0] == x.value().size(-2) && last == x.value().size(-1)) {
            return x;
        }
        long[] sizes = x.value().sizes();
        sizes[dims - 2] = to[0];
        sizes[dims - 1] = last;
        return windowed(ops, s, x, sizes);
    }

    /** Reads a window for each element, as {@code avg_pool2d} and resizing do. */
    private static Traced window(Ops ops, Site s) {
        Traced x = s.tensor("input".equals(first(s)) ? "input" : "self");
        long[] sizes = s.has("kernel_size")
                ? Output.pooled(s, x.value().sizes(), Output.pair(s, "kernel_size", 1))
                : Output.resized(s, x.value().sizes());
        return windowed(ops, s, x, sizes);
    }

    /** {@code _upsample_linear} of torch/_decomp: each element between four that are gathered. */
    private static Traced bilinear(Ops ops, Site s) {
        Traced x = s.tensor("input".equals(first(s)) ? "input" : "self");
        long[] to = Output.resized(s, x.value().sizes());
        long rows = to[2];
        long columns = to[3];
        Traced[] lines = new Traced[2];
        for (int i = 0; i < 2; i++) {
            Value row = index(ops, s, "row" + i, rows, 1);
            Value left = index(ops, s, "column0", columns);
            Value right = index(ops, s, "column1", columns);
            Traced start = IndexRules.gathered(ops, x, "aten._unsafe_index", to, false, row, left);
            Traced end = IndexRules.gathered(ops, x, "aten._unsafe_index", to, false, row, right);
            lines[i] = between(ops, start, end, weight(ops, s, "columns", x, columns));
        }
        return between(ops, lines[0], lines[1], weight(ops, s, "rows", x, rows, 1));
    }

    private static String first(Site s) {
        return s.node().arguments().get(0).name();
    }

    private static Value index(Ops ops, Site s, String which, long... sizes) {
        Value at = ops.joint.make(Kind.POINTWISE, "prims.iota", which + s.plain(), DType.FLOAT32, sizes);
        return ops.emit.convert(at, DType.INT64);
    }

    private static Traced weight(Ops ops, Site s, String which, Traced of, long... sizes) {
        DType type = of.value().dtype();
        return Traced.constant(ops.joint.make(Kind.POINTWISE, "prims.iota", which + s.plain(), type, sizes));
    }

    private static Traced between(Ops ops, Traced start, Traced end, Traced weight) {
        return ops.add(start, ops.mul(ops.sub(end, start), weight));
    }

    private static Traced windowed(Ops ops, Site s, Traced x, long[] sizes) {
        String op = s.node().operator();
        Value v = x.value();
        Value out = ops.joint.make(Kind.WINDOW, op, s.plain(), v.dtype(), sizes, v);
        // Derivatives of pools are given what was pooled, though their kernels only read the gradient.
        boolean pools = op.contains("pool");
        return ops.unary(
                x,
                out,
                (g, y) -> pools
                        ? ops.joint.make(Kind.WINDOW, op + "_backward", s.plain(), g.dtype(), v.sizes(), g, v)
                        : ops.joint.make(Kind.WINDOW, op + "_backward", s.plain(), g.dtype(), v.sizes(), g));
    }

    /** Sizes of results. */
    static final class Output {
        private Output() {}

        static long[] of(Site s, Value x, Value weight, boolean transposed) {
            int spatial = weight.dim() - 2;
            long[] in = x.sizes();
            if (in.length != weight.dim()) {
                throw new NoDecomposition("a convolution without batch");
            }
            long[] out = in.clone();
            out[1] = transposed ? weight.size(1) * s.integer("groups", 1) : weight.size(0);
            for (int i = 0; i < spatial; i++) {
                long stride = at(s.integers("stride", 1), i);
                long dilation = at(s.integers("dilation", 1), i);
                long window = dilation * (weight.size(2 + i) - 1);
                boolean same = s.text("padding", "").equals("same");
                long padding = same ? 0 : at(s.integers("padding", 0), i);
                out[2 + i] = transposed
                        ? (in[2 + i] - 1) * stride - 2 * padding + window + at(s.integers("output_padding", 0), i) + 1
                        : same ? in[2 + i] : (in[2 + i] + 2 * padding - window - 1) / stride + 1;
            }
            return out;
        }

        private static long at(long[] values, int i) {
            return values.length == 0 ? 1 : values[Math.min(i, values.length - 1)];
        }

        static long[] pair(Site s, String name, long otherwise) {
            long[] given = s.integers(name, otherwise);
            return new long[] {at(given, 0), at(given, 1)};
        }

        static long[] pooled(Site s, long[] in, long[] kernel) {
            long[] out = in.clone();
            long[] strides = s.integers("stride");
            for (int i = 0; i < 2; i++) {
                long stride = strides.length == 0 ? kernel[i] : at(strides, i);
                long window = at(s.integers("dilation", 1), i) * (kernel[i] - 1);
                long free = in[in.length - 2 + i] + 2 * at(s.integers("padding", 0), i) - window - 1;
                long size = free / stride + 1;
                // Of windows that are not whole, one that begins in the padding behind is left out.
                boolean more = s.flag("ceil_mode", false) && free % stride != 0;
                boolean begins = size * stride < in[in.length - 2 + i] + at(s.integers("padding", 0), i);
                out[in.length - 2 + i] = more && begins ? size + 1 : size;
            }
            return out;
        }

        static long[] resized(Site s, long[] in) {
            long[] out = in.clone();
            long[] sizes = s.integers("output_size");
            double[] factors = s.numbers("scale_factors");
            for (int i = 0; i < 2; i++) {
                int dim = in.length - 2 + i;
                if (sizes.length != 2 && factors.length != 2) {
                    throw new NoDecomposition(s.node().target() + " of unknown size");
                }
                out[dim] = sizes.length == 2 ? sizes[i] : (long) Math.floor(in[dim] * factors[i]);
            }
            return out;
        }
    }
}
