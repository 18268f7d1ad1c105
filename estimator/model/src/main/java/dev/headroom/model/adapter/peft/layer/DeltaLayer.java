package dev.headroom.model.adapter.peft.layer;

import dev.headroom.model.adapter.AdapterMethod;
import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.graph.LayerWriter;
import dev.headroom.model.adapter.peft.graph.Wrapping;
import dev.headroom.model.adapter.peft.graph.Wrapping.Added;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.Argument;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * LoHa and LoKr around a linear layer: each call makes what is added to the weight in full (peft,
 * tuners/loha/layer.py and tuners/lokr/layer.py, Linear).
 */
final class DeltaLayer implements AdapterLayer {
    private final Layer layer;
    private final AdapterOptions options;

    DeltaLayer(Layer layer, AdapterOptions options) {
        this.layer = layer;
        this.options = options;
    }

    @Override
    public Wrapping wrapping() {
        List<Added> tensors = hadamard() ? hadamardFactors() : kroneckerFactors();
        List<Addition> made = tensors.stream().map(t -> t.made(layer.type())).toList();
        List<String> modules = hadamard()
                ? List.of("hada_w1_a", "hada_w1_b", "hada_w2_a", "hada_w2_b", "hada_t1", "hada_t2")
                : List.of("lokr_w1", "lokr_w1_a", "lokr_w1_b", "lokr_w2", "lokr_w2_a", "lokr_w2_b", "lokr_t2");
        return new Wrapping(layer.path(), LoraLayer.BASE, modules, tensors, made);
    }

    private boolean hadamard() {
        return options.method() == AdapterMethod.LOHA;
    }

    private List<Added> hadamardFactors() {
        long rank = options.methodSize();
        List<Added> out = new ArrayList<>();
        for (String part : new String[] {"w1", "w2"}) {
            out.add(new Added(layer.path() + ".hada_" + part + "_a.default", List.of(layer.out(), rank)));
            out.add(new Added(layer.path() + ".hada_" + part + "_b.default", List.of(rank, layer.in())));
        }
        return out;
    }

    private List<Added> kroneckerFactors() {
        long rank = options.methodSize();
        long[] in = factors(layer.in());
        long[] out = factors(layer.out());
        List<Added> list = new ArrayList<>();
        list.add(new Added(layer.path() + ".lokr_w1.default", List.of(out[0], in[0])));
        if (whole()) {
            list.add(new Added(layer.path() + ".lokr_w2.default", List.of(out[1], in[1])));
        } else {
            list.add(new Added(layer.path() + ".lokr_w2_a.default", List.of(out[1], rank)));
            list.add(new Added(layer.path() + ".lokr_w2_b.default", List.of(rank, in[1])));
        }
        return list;
    }

    /** Whether the larger matrix is no product of two. */
    private boolean whole() {
        return 2L * options.methodSize() >= Math.max(factors(layer.out())[1], factors(layer.in())[1]);
    }

    /** The two factors of a number that are nearest to each other, the smaller first (lokr/layer.py, factorization). */
    static long[] factors(long number) {
        for (long small = (long) Math.sqrt((double) number); small > 1; small--) {
            if (number % small == 0) {
                return new long[] {small, number / small};
            }
        }
        return new long[] {1, number};
    }

    @Override
    public void write(LayerWriter w, Map<String, String> weights) {
        w.line("result = self.base_layer(x, *args, **kwargs)");
        String result = w.base(LoraLayer.BASE, Map.of());
        w.line("result = result + self._get_delta_activations(active_adapter, x, *args, **kwargs)");
        w.enter("_get_delta_activations", "function", "return");
        w.line("delta_weight = self.get_delta_weight(adapter_name, apply_rank_dropout=apply_rank_dropout)");
        String delta = delta(w);
        w.line("input = self._cast_input_dtype(input, delta_weight.dtype)");
        String x = w.op("aten.to.dtype", "self", w.input(), "dtype", new Argument.TypeOf(delta));
        w.line("return F.linear(input, delta_weight)");
        String output = w.op("aten.linear.default", "input", x, "weight", delta);
        w.leave();
        result = w.op("aten.add.Tensor", "self", result, "other", output);
        w.line("result = result.to(previous_dtype)");
        w.last("aten.to.dtype", "self", result, "dtype", new Argument.TypeOf(w.input()));
    }

    private String delta(LayerWriter w) {
        w.enter("get_delta_weight", "function", "return");
        String out;
        if (hadamard()) {
            w.line("weight = make_weight(self.hada_w1_a, self.hada_w1_b, self.hada_w2_a, self.hada_w2_b, scale)");
            out = w.op(
                    "peft.hada_weight.default",
                    "w1a",
                    value(".hada_w1_a"),
                    "w1b",
                    value(".hada_w1_b"),
                    "w2a",
                    value(".hada_w2_a"),
                    "w2b",
                    value(".hada_w2_b"));
        } else {
            String second = value(".lokr_w2");
            if (!whole()) {
                w.line("w2 = self.lokr_w2_a[adapter_name] @ self.lokr_w2_b[adapter_name]");
                second = w.op("aten.matmul.default", "self", value(".lokr_w2_a"), "other", value(".lokr_w2_b"));
            }
            w.line("weight = make_kron(w1, w2, self.scaling[adapter_name])");
            w.enter("make_kron", "function", "return");
            w.line("rebuild = torch.kron(w1, w2)");
            String product = w.op("aten.kron.default", "self", value(".lokr_w1"), "other", second);
            w.line("return rebuild * scale");
            out = w.op("aten.mul.Tensor", "self", product, "other", 0.0);
            w.leave();
        }
        w.line("weight = weight.reshape(base_layer.weight.shape)");
        out = w.op("aten.reshape.default", "self", out, "shape", new long[] {layer.out(), layer.in()});
        w.leave();
        return out;
    }

    private String value(String name) {
        return Wrapping.value(layer.path() + name + ".default");
    }
}
