package dev.headroom.model.adapter.peft.layer;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.graph.LayerWriter;
import dev.headroom.model.adapter.peft.graph.Surroundings;
import dev.headroom.model.adapter.peft.graph.Wrapping;
import dev.headroom.model.adapter.peft.graph.Wrapping.Added;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * OFT around a linear layer: its input is turned by blocks of an orthogonal matrix, which five terms of a series
 * approximate (peft, tuners/oft/layer.py, Linear and OFTRotationModule).
 */
final class OftLayer implements AdapterLayer {
    private static final String ROTATION = "oft_R.default";

    private final Layer layer;
    private final AdapterOptions options;
    private final Surroundings run;
    private final long size;
    private final long blocks;

    OftLayer(Layer layer, AdapterOptions options, Surroundings run) {
        this.layer = layer;
        this.options = options;
        this.run = run;
        this.size = divisor(layer.in(), options.methodSize());
        this.blocks = layer.in() / size;
    }

    /** The size itself where it divides the inputs, else the nearest that does (adjust_oft_parameters). */
    static long divisor(long in, long asked) {
        if (asked >= in) {
            return in;
        }
        long below = asked;
        while (in % below != 0) {
            below--;
        }
        // One above counts only where it is nearer.
        for (long above = asked + 1; above - asked < asked - below; above++) {
            if (in % above == 0) {
                return above;
            }
        }
        return below;
    }

    @Override
    public Wrapping wrapping() {
        long elements = size * (size - 1) / 2;
        String path = layer.path() + "." + ROTATION;
        List<Added> tensors = List.of(
                new Added(path + ".weight", List.of(blocks, elements)),
                Added.buffer(path + ".rows", List.of(elements), DType.INT64),
                Added.buffer(path + ".cols", List.of(elements), DType.INT64));
        List<Addition> made = tensors.stream().map(t -> t.made(layer.type())).toList();
        List<String> modules = List.of("oft_R", ROTATION, "oft_embedding_R", "oft_dropout", "oft_dropout.default");
        return new Wrapping(layer.path(), LoraLayer.BASE, modules, tensors, made);
    }

    @Override
    public void write(LayerWriter w, Map<String, String> weights) {
        w.line("x = self._cast_input_dtype(x, oft_R.weight.dtype)");
        String x = w.op("aten.to.dtype", "self", w.input(), "dtype", type());
        w.line("x = oft_R(x)");
        x = rotated(w, x);
        w.line("result = self.base_layer(x.to(previous_dtype), *args, **kwargs)");
        String input = w.op("aten.to.dtype", "self", x, "dtype", new Argument.TypeOf(w.input()));
        String result = w.base(LoraLayer.BASE, Map.of(w.input(), input));
        w.line("result = result.to(previous_dtype)");
        w.last("aten.to.dtype", "self", result, "dtype", new Argument.TypeOf(w.input()));
    }

    private DType type() {
        return run.usedType(layer.type(), options);
    }

    /** OFTRotationModule.forward. */
    private String rotated(LayerWriter w, String x) {
        w.enter(ROTATION, "peft.tuners.oft.layer.OFTRotationModule", "return");
        w.line("orth_rotate = self._cayley_batch(self.weight, self.block_size)");
        String rotation = cayley(w);
        w.line("x_reshaped = x.reshape(*batch_dims, rank, self.block_size)");
        String apart = w.op("aten.unflatten.int", "self", x, "dim", -1L, "sizes", new long[] {blocks, size});
        w.line("x_rotated_reshaped = torch.einsum(\"...rk,rkc->...rc\", x_reshaped, orth_rotate)");
        String turned = w.op(
                "aten.einsum.default",
                "equation",
                new Argument.Text("...rk,rkc->...rc"),
                "tensors",
                new Argument.Values(List.of(apart, rotation)));
        w.line("x_rotated = x_rotated_reshaped.reshape(*folded_shape)");
        String together = w.op("aten.flatten.using_ints", "self", turned, "start_dim", -2L, "end_dim", -1L);
        w.line("return x_rotated.to(required_dtype)");
        String out = w.op("aten.to.dtype", "self", together, "dtype", type());
        w.leave();
        return out;
    }

    /** The identity, twice each power of the blocks but the last, and that (_cayley_batch). */
    private String cayley(LayerWriter w) {
        w.enter("_cayley_batch", "function", "return");
        w.line("Q_skew = self._pytorch_skew_symmetric(Q, block_size)");
        String skew = skew(w);
        w.line("R = torch.eye(block_size, device=Q.device, dtype=Q.dtype).repeat(b, 1, 1)");
        String eye = w.op("aten.eye.default", "n", size, "dtype", type());
        String out = w.op("aten.repeat.default", "self", eye, "repeats", new long[] {blocks, 1, 1});
        w.line("R.add_(Q_skew, alpha=2.0)");
        out = added(w, out, skew);
        w.line("Q_squared = torch.bmm(Q_skew, Q_skew)");
        String square = w.op("aten.bmm.default", "self", skew, "mat2", skew);
        w.line("R.add_(Q_squared, alpha=2.0)");
        out = added(w, out, square);
        w.line("Q_power = torch.bmm(Q_squared, Q_skew)");
        String cube = w.op("aten.bmm.default", "self", square, "mat2", skew);
        w.line("R.add_(Q_power, alpha=2.0)");
        out = added(w, out, cube);
        w.line("Q_power = torch.bmm(Q_power, Q_skew)");
        String last = w.op("aten.bmm.default", "self", cube, "mat2", skew);
        w.line("R.add_(Q_power)");
        out = w.op("aten.add_.Tensor", "self", out, "other", last);
        w.leave();
        return out;
    }

    private static String added(LayerWriter w, String sum, String term) {
        return w.op("aten.add_.Tensor", "self", sum, "other", term, "alpha", 2.0);
    }

    /** Blocks from what is above their diagonals (_pytorch_skew_symmetric). */
    private String skew(LayerWriter w) {
        w.enter("_pytorch_skew_symmetric", "function", "return");
        w.line("matrix = torch.zeros(batch_size, block_size, block_size, device=vec.device, dtype=vec.dtype)");
        String zeros = w.op("aten.zeros.default", "size", new long[] {blocks, size, size}, "dtype", type());
        w.line("matrix[:, self.rows, self.cols] = vec");
        List<@Nullable String> places = new ArrayList<>();
        places.add(null);
        places.add(value(".rows"));
        places.add(value(".cols"));
        String upper = w.op(
                "aten.index_put_.default",
                "self",
                zeros,
                "indices",
                new Argument.Values(places),
                "values",
                value(".weight"));
        w.line("matrix = matrix - matrix.transpose(-2, -1)");
        String lower = w.op("aten.transpose.int", "self", upper, "dim0", -2L, "dim1", -1L);
        String out = w.op("aten.sub.Tensor", "self", upper, "other", lower);
        w.leave();
        return out;
    }

    private String value(String name) {
        return Wrapping.value(layer.path() + "." + ROTATION + name);
    }
}
