package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Dimensions;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** Shapes by other operators' views (aten/src/ATen/native/TensorShape.cpp, PixelShuffle.cpp). */
public final class ShapeComposites {
    private ShapeComposites() {}

    public static void register(Operators o) {
        for (String name : new String[] {"swapaxes", "swapdims"}) {
            String[] dims = name.equals("swapaxes") ? new String[] {"axis0", "axis1"} : new String[] {"dim0", "dim1"};
            Calls.add(
                    o,
                    "aten." + name,
                    (c, a) -> Views.transpose(c.e(), a.tensor("self"), a.integer(dims[0], 0), a.integer(dims[1], 1)));
        }
        for (String name : List.of("mT", "matrix_H")) { // of real numbers
            Calls.add(o, "aten." + name, (c, a) -> Views.transpose(c.e(), a.tensor("self"), -2, -1));
        }
        Calls.add(o, "aten.numpy_T", (c, a) -> reversed(c.e(), a.tensor("self")));
        Calls.add(o, "aten.ravel", (c, a) -> Views.reshape(c.e(), a.tensor("self"), -1));
        Calls.add(
                o,
                "aten.reshape_as",
                (c, a) ->
                        Views.reshape(c.e(), a.tensor("self"), a.tensor("other").sizes()));
        Calls.add(o, "aten.broadcast_to", (c, a) -> Views.expand(c.e(), a.tensor("self"), a.integers("size")));
        o.add("aten.broadcast_tensors", (e, a) -> broadcast(e, a.tensors("tensors")));
        o.add("aten.meshgrid", ShapeComposites::meshgrid);
        o.add("aten.tensor_split", (e, a) -> tensorSplit(new Calls(e, o, true), a));
        Calls.add(o, "aten.tile", ShapeComposites::tile);
        Calls.add(o, "aten.pixel_shuffle", ShapeComposites::pixelShuffle);
        Calls.add(o, "aten.pixel_unshuffle", ShapeComposites::pixelUnshuffle);
    }

    private static Tensor reversed(Eager e, Tensor t) {
        long[] order = LongStream.range(0, t.dims()).map(d -> t.dims() - 1 - d).toArray();
        return Dimensions.permute(e, t, order);
    }

    private static Tensor[] broadcast(Eager e, Tensor... parts) {
        long[] sizes = Layout.broadcast(parts);
        return Arrays.stream(parts).map(t -> Views.expand(e, t, sizes)).toArray(Tensor[]::new);
    }

    /** {@code meshgrid}: each line seen along its dimension; {@code xy} exchanges the first two. */
    private static Tensor[] meshgrid(Eager e, Arguments a) {
        Tensor[] lines = a.tensors("tensors");
        boolean turns = a.text("indexing", "ij").equals("xy") && lines.length >= 2;
        if (turns) {
            swap(lines);
        }
        long[] sizes = Arrays.stream(lines).mapToLong(Tensor::elements).toArray();
        Tensor[] out = new Tensor[lines.length];
        for (int i = 0; i < out.length; i++) {
            long[] shape = new long[lines.length];
            Arrays.fill(shape, 1);
            shape[i] = -1;
            out[i] = Views.expand(e, Views.view(e, lines[i], shape), sizes);
        }
        if (turns) {
            swap(out);
        }
        return out;
    }

    private static void swap(Tensor[] list) {
        Tensor first = list[0];
        list[0] = list[1];
        list[1] = first;
    }

    /** {@code tensor_split}: by places, or into parts of which the first ones may be one longer. */
    private static Tensor[] tensorSplit(Calls c, Arguments a) {
        Tensor t = a.tensor("self");
        int dim = Layout.dimension(a.integer("dim", 0), t.dims());
        long size = t.size(dim);
        long sections = a.integer("sections", 0);
        long[] cuts = a.has("indices")
                ? a.integers("indices")
                : LongStream.range(1, sections)
                        .map(i -> i * (size / sections) + Math.min(i, size % sections))
                        .toArray();
        Tensor[] out = new Tensor[cuts.length + 1];
        for (int i = 0; i < out.length; i++) {
            out[i] = c.call(
                    "slice",
                    "self",
                    t,
                    "dim",
                    dim,
                    "start",
                    i == 0 ? 0 : cuts[i - 1],
                    "end",
                    i < cuts.length ? cuts[i] : size);
        }
        return out;
    }

    private static Tensor tile(Calls c, Arguments a) {
        Tensor t = a.tensor("self");
        long[] given = a.integers("dims");
        long[] repeats = new long[Math.max(given.length, t.dims())];
        Arrays.fill(repeats, 1);
        System.arraycopy(given, 0, repeats, repeats.length - given.length, given.length);
        return c.call("repeat", "self", t, "repeats", repeats);
    }

    private static Tensor pixelShuffle(Calls c, Arguments a) {
        Tensor t = a.tensor("self");
        long r = a.integer("upscale_factor", 1);
        long n = t.size(-3) / (r * r);
        long[] lead = Arrays.copyOf(t.sizes(), t.dims() - 3);
        Tensor parts = Views.reshape(c.e(), t, joined(lead, n, r, r, t.size(-2), t.size(-1)));
        int d = lead.length;
        Tensor turned = Dimensions.permute(c.e(), parts, order(d, 0, 3, 1, 4, 2));
        return Views.reshape(c.e(), turned, joined(lead, n, t.size(-2) * r, t.size(-1) * r));
    }

    private static Tensor pixelUnshuffle(Calls c, Arguments a) {
        Tensor t = a.tensor("self");
        long r = a.integer("downscale_factor", 1);
        long[] lead = Arrays.copyOf(t.sizes(), t.dims() - 3);
        long h = t.size(-2) / r;
        long w = t.size(-1) / r;
        Tensor parts = Views.reshape(c.e(), t, joined(lead, t.size(-3), h, r, w, r));
        Tensor turned = Dimensions.permute(c.e(), parts, order(lead.length, 0, 2, 4, 1, 3));
        return Views.reshape(c.e(), turned, joined(lead, t.size(-3) * r * r, h, w));
    }

    private static long[] joined(long[] lead, long... last) {
        return LongStream.concat(Arrays.stream(lead), Arrays.stream(last)).toArray();
    }

    private static long[] order(int lead, long... last) {
        return LongStream.concat(LongStream.range(0, lead), Arrays.stream(last).map(d -> d + lead))
                .toArray();
    }
}
