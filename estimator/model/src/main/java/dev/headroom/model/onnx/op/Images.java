package dev.headroom.model.onnx.op;

import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Operators that make images and sequences larger, or turn channels into pixels. */
final class Images {
    /** ONNX's modes of padding and PyTorch's (torch/nn/functional.py, pad). */
    private static final Map<String, String> PADDING =
            Map.of("constant", "constant", "reflect", "reflect", "edge", "replicate", "wrap", "circular");

    private Images() {}

    static void add(Map<String, Mapping> table) {
        table.put("Resize", Images::resize);
        table.put("Pad", Images::pad);
        table.put("Tile", Images::tile);
        table.put("ConvTranspose", Images::transposedConvolution);
        table.put("DepthToSpace", c -> shuffle(c, "aten.pixel_shuffle.default", "upscale_factor", true));
        table.put("SpaceToDepth", c -> shuffle(c, "aten.pixel_unshuffle.default", "downscale_factor", false));
    }

    private static void resize(Call c) {
        List<SymExpr> sizes = c.knownSizes(0);
        int dims = sizes.size() - 2;
        if (c.attribute("axes") != null
                || !c.text("keep_aspect_ratio_policy", "stretch").equals("stretch")) {
            throw new NoCounterpart();
        }
        List<SymExpr> out = c.has(3) ? c.integers("", 3) : scaled(c, sizes);
        if (out == null || out.size() != sizes.size() || !out.subList(0, 2).equals(sizes.subList(0, 2))) {
            throw new NoCounterpart();
        }
        c.write(
                "aten." + interpolation(c, dims) + ".vec",
                c.dtype(0),
                out,
                "input",
                c.tensor(0),
                "output_size",
                out.subList(2, out.size()).toArray(SymExpr[]::new));
    }

    /** What torch.nn.functional.interpolate calls for so many dimensions. */
    private static String interpolation(Call c, int dims) {
        String mode = c.text("mode", "nearest");
        String smooth = c.number("antialias", 0) == 1 ? "_aa" : "";
        if (mode.equals("nearest") && dims >= 1 && dims <= 3) {
            boolean floor =
                    c.text("coordinate_transformation_mode", "half_pixel").equals("asymmetric");
            return (floor ? "upsample_nearest" : "_upsample_nearest_exact") + dims + "d";
        }
        if (mode.equals("linear") && dims >= 1 && dims <= 3 && (smooth.isEmpty() || dims == 2)) {
            String kind = List.of("linear1d", "bilinear2d", "trilinear3d").get(dims - 1);
            return (smooth.isEmpty() ? "" : "_") + "upsample_" + kind + smooth;
        }
        if (mode.equals("cubic") && dims == 2) {
            return (smooth.isEmpty() ? "" : "_") + "upsample_bicubic2d" + smooth;
        }
        throw new NoCounterpart();
    }

    private static @Nullable List<SymExpr> scaled(Call c, List<SymExpr> sizes) {
        Content scales = c.has(2) ? c.known(2).content() : null;
        if (scales == null || scales.reals().size() != sizes.size()) {
            return null;
        }
        List<SymExpr> out = new ArrayList<>();
        for (int i = 0; i < sizes.size(); i++) {
            double scale = scales.reals().get(i);
            Long constant = Dims.constant(sizes.get(i));
            if (scale == Math.rint(scale)) {
                out.add(Dims.times(sizes.get(i), SymExpr.of((long) scale)));
            } else if (constant != null && scale > 0) {
                out.add(SymExpr.of((long) Math.floor(constant * scale)));
            } else {
                return null;
            }
        }
        return out;
    }

    /** Pads come for all dimensions, or some, the first ends before the last; PyTorch's begin with the last one. */
    private static void pad(Call c) {
        List<SymExpr> sizes = c.knownSizes(0);
        int rank = sizes.size();
        List<Long> given = c.constants("pads", 1);
        List<Long> axes = c.constants("", 3);
        String mode = PADDING.get(c.text("mode", "constant"));
        int count = axes == null ? rank : axes.size();
        if (given == null || mode == null || given.size() != 2 * count) {
            throw new NoCounterpart();
        }
        List<Long> whole = new ArrayList<>(Collections.nCopies(2 * rank, 0L));
        for (int i = 0; i < count; i++) {
            int d = axes == null ? i : Call.dim(axes.get(i), rank);
            whole.set(d, given.get(i));
            whole.set(d + rank, given.get(i + count));
        }
        Padded padded = padded(sizes, whole, 0);
        if (padded.pad().length == 0) {
            c.same(0);
        } else {
            Object[] pairs = {"self", c.tensor(0), "pad", padded.pad(), "mode", mode};
            c.write("aten.pad.default", c.dtype(0), padded.sizes(), pairs);
        }
    }

    /** What is padded, and how torch.nn.functional.pad is asked for it. */
    record Padded(List<SymExpr> sizes, long[] pad) {}

    /**
     * Pads the dimensions from one on.
     *
     * @param pads of these dimensions, what comes before each, then what comes behind each
     */
    static Padded padded(List<SymExpr> sizes, List<Long> pads, int from) {
        List<SymExpr> out = new ArrayList<>(sizes.subList(0, from));
        List<Long> pairs = new ArrayList<>();
        boolean any = false;
        int count = sizes.size() - from;
        for (int i = 0; i < count; i++) {
            long before = pads.get(i);
            long after = pads.get(i + count);
            out.add(Dims.plus(sizes.get(from + i), before + after));
            any |= before != 0 || after != 0;
            if (any) {
                pairs.addAll(0, List.of(before, after));
            }
        }
        return new Padded(out, pairs.stream().mapToLong(Long::longValue).toArray());
    }

    private static void transposedConvolution(Call c) {
        List<SymExpr> weight = c.knownSizes(1);
        List<Long> kernel = new ArrayList<>();
        for (SymExpr size : weight.subList(2, weight.size())) {
            kernel.add(size.evaluate(Map.of()));
        }
        Layers.Windows w = Layers.Windows.of(c, kernel);
        if (!c.numbers("output_shape").isEmpty()) {
            throw new NoCounterpart();
        }
        List<Long> extra = Layers.all(c, "output_padding", kernel.size(), 0);
        List<SymExpr> sizes = c.knownSizes(0);
        long groups = c.number("group", 1);
        List<SymExpr> out = new ArrayList<>(List.of(sizes.get(0), Dims.times(weight.get(1), SymExpr.of(groups))));
        for (int i = 0; i < kernel.size(); i++) {
            long stride = w.stride().get(i);
            long reach = w.dilation().get(i) * (kernel.get(i) - 1) + 1;
            SymExpr spread = Dims.times(sizes.get(i + 2), SymExpr.of(stride));
            out.add(Dims.plus(spread, reach - stride - 2 * w.padding().get(i) + extra.get(i)));
        }
        c.write(
                "aten.conv_transpose" + kernel.size() + "d" + (kernel.size() == 1 ? ".default" : ".input"),
                c.dtype(0),
                out,
                "input",
                c.tensor(0),
                "weight",
                c.tensor(1),
                "bias",
                c.optional(2),
                "stride",
                Layers.array(w.stride()),
                "padding",
                Layers.array(w.padding()),
                "output_padding",
                Layers.array(extra),
                "groups",
                groups,
                "dilation",
                Layers.array(w.dilation()));
    }

    private static void tile(Call c) {
        List<SymExpr> sizes = c.knownSizes(0);
        List<SymExpr> repeats = c.integers("", 1);
        if (repeats == null || repeats.size() != sizes.size()) {
            throw new NoCounterpart();
        }
        List<SymExpr> out = new ArrayList<>();
        for (int i = 0; i < sizes.size(); i++) {
            out.add(Dims.times(sizes.get(i), repeats.get(i)));
        }
        c.write(
                "aten.repeat.default",
                c.dtype(0),
                out,
                "self",
                c.tensor(0),
                "repeats",
                repeats.toArray(SymExpr[]::new));
    }

    /** In which order channels become pixels changes nothing of the memory. */
    private static void shuffle(Call c, String target, String argument, boolean larger) {
        List<SymExpr> sizes = c.knownSizes(0);
        long block = c.number("blocksize", 1);
        SymExpr side = SymExpr.of(block);
        SymExpr square = SymExpr.of(block * block);
        List<SymExpr> out = new ArrayList<>(Collections.nCopies(4, side));
        out.set(0, sizes.get(0));
        out.set(1, larger ? Dims.over(sizes.get(1), square) : Dims.times(sizes.get(1), square));
        for (int d = 2; d < 4; d++) {
            out.set(d, larger ? Dims.times(sizes.get(d), side) : Dims.over(sizes.get(d), side));
        }
        c.write(target, c.dtype(0), out, "self", c.tensor(0), argument, block);
    }
}
