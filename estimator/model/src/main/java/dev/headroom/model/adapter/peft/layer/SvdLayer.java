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

/** The AdaLoRA layer around a linear one (peft, tuners/adalora/layer.py, SVDLinear; tuners/adalora/bnb.py). */
public final class SvdLayer implements AdapterLayer {
    /** The outer factors, whose columns the loss wants orthogonal. */
    public static final String A = ".lora_A.default";

    public static final String B = ".lora_B.default";
    private static final String E = ".lora_E.default";
    private static final String RANKS = ".ranknum.default";

    private final Layer layer;
    private final AdapterOptions options;
    private final Surroundings run;

    SvdLayer(Layer layer, AdapterOptions options, Surroundings run) {
        this.layer = layer;
        this.options = options;
        this.run = run;
    }

    @Override
    public Wrapping wrapping() {
        long rank = options.methodSize();
        String path = layer.path();
        List<Added> tensors = List.of(
                new Added(path + A, List.of(rank, layer.in())),
                new Added(path + B, List.of(layer.out(), rank)),
                new Added(path + E, List.of(rank, 1L)),
                new Added(path + RANKS, List.of(1L))); // trained as well, by how it is moved to the device
        List<Addition> made = tensors.stream().map(t -> t.made(layer.type())).toList();
        List<String> modules = new ArrayList<>(LoraLayer.MODULES);
        modules.removeAll(List.of("lora_A.default", "lora_B.default"));
        modules.addAll(List.of("lora_E", "ranknum"));
        return new Wrapping(path, LoraLayer.BASE, modules, tensors, made);
    }

    @Override
    public void write(LayerWriter w, Map<String, String> weights) {
        boolean quantised = layer.kind().isQuantised();
        boolean converts = !quantised || run.autocast() == null;
        w.line("result = self.base_layer(x, *args, **kwargs)");
        String result = w.base(LoraLayer.BASE, Map.of());
        String expected = result;
        if (layer.kind() == LayerKind.LINEAR_4BIT) {
            w.line("result = result.clone()");
            result = w.op("aten.clone.default", "self", result);
        }
        boolean integers = layer.kind() == LayerKind.LINEAR_8BIT;
        String x = w.input();
        if (converts && integers) {
            w.line("x = x.float()");
            x = w.op("aten.to.dtype", "self", x, "dtype", DType.FLOAT32);
        }
        w.line("ranknum = self.ranknum[active_adapter] + 1e-5");
        String ranks = w.op("aten.add.Tensor", "self", value(RANKS), "other", 1e-5);
        if (converts && !integers) {
            w.line("x = self._cast_input_dtype(x, lora_A.dtype)");
            x = w.op("aten.to.dtype", "self", x, "dtype", run.usedType(layer.type(), options));
        }
        if (!quantised) {
            w.line("result += (dropout(x) @ (lora_A * lora_E).T @ lora_B.T) * scaling / ranknum");
            w.last("aten.add_.Tensor", "self", result, "other", weighed(w, product(w, x), ranks));
            return;
        }
        w.line("output = dropout(x) @ (lora_A * lora_E).T @ lora_B.T");
        String output = product(w, x);
        if (converts) {
            w.line("output = output.to(expected_dtype)");
            output = w.op("aten.to.dtype", "self", output, "dtype", new Argument.TypeOf(expected));
        }
        w.line("output = output * scaling / ranknum");
        output = weighed(w, output, ranks);
        w.line(integers ? "result = result + output" : "result += output");
        w.last(integers ? "aten.add.Tensor" : "aten.add_.Tensor", "self", result, "other", output);
    }

    private String product(LayerWriter w, String x) {
        String input = LoraLayer.dropped(w, x, "lora_dropout", options, run);
        String right = w.op("aten.mul.Tensor", "self", value(A), "other", value(E));
        String inner = w.op("aten.matmul.default", "self", input, "other", w.op("aten.t.default", "self", right));
        return w.op("aten.matmul.default", "self", inner, "other", w.op("aten.t.default", "self", value(B)));
    }

    private static String weighed(LayerWriter w, String output, String ranks) {
        String scaled = w.op("aten.mul.Tensor", "self", output, "other", 8.0);
        return w.op("aten.div.Tensor", "self", scaled, "other", ranks);
    }

    private String value(String name) {
        return Wrapping.value(layer.path() + name);
    }
}
