package dev.headroom.model.adapter.peft.layer;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.graph.CallSpan;
import dev.headroom.model.adapter.peft.graph.LayerWriter;
import dev.headroom.model.adapter.peft.graph.Surroundings;
import dev.headroom.model.adapter.peft.graph.Wrapping;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import java.util.List;
import java.util.Map;

/**
 * IA3 around a linear layer: its result, or the input of a feed-forward layer, times a vector (peft,
 * tuners/ia3/layer.py and bnb.py).
 */
final class Ia3Layer implements AdapterLayer {
    private static final String BASE = "base_layer";
    private static final String VECTOR = ".ia3_l.default";

    private final Layer layer;
    private final boolean feedForward;
    private final AdapterOptions options;
    private final Surroundings run;

    private Ia3Layer(Layer layer, boolean feedForward, AdapterOptions options, Surroundings run) {
        this.layer = layer;
        this.feedForward = feedForward;
        this.options = options;
        this.run = run;
    }

    static Ia3Layer of(Layer layer, CallSpan call, AdapterOptions options, Surroundings run) {
        return new Ia3Layer(layer, Ia3Targets.feedForward(call, layer.path()), options, run);
    }

    @Override
    public Wrapping wrapping() {
        List<Long> sizes = feedForward ? List.of(1L, layer.in()) : List.of(layer.out(), 1L);
        Wrapping.Added vector = new Wrapping.Added(layer.path() + VECTOR, sizes);
        Addition made = new Addition(Addition.Kind.NEW, vector.name(), layer.type(), List.of());
        return new Wrapping(layer.path(), BASE, List.of("ia3_l"), List.of(vector), List.of(made));
    }

    @Override
    public void write(LayerWriter w, Map<String, String> weights) {
        w.line("ia3_scaling *= self.ia3_l[active_adapter].flatten()");
        String flat = w.op("aten.flatten.using_ints", "self", Wrapping.value(layer.path() + VECTOR));
        String scaling = w.op("aten.mul.Tensor", "self", flat, "other", 1);
        if (layer.kind() == LayerKind.LINEAR_4BIT) {
            ofFourBits(w, scaling);
        } else {
            ofFloats(w, scaling);
        }
    }

    private void ofFloats(LayerWriter w, String scaling) {
        DType type = run.adapterType(layer.type(), options);
        if (feedForward) {
            w.line("x = x.to(dtype)");
            String x = w.op("aten.to.dtype", "self", w.input(), "dtype", type);
            w.line("interm = (x * ia3_scaling).to(previous_dtype)");
            String product = w.op("aten.mul.Tensor", "self", x, "other", scaling);
            String inner = w.op("aten.to.dtype", "self", product, "dtype", new Argument.TypeOf(w.input()));
            w.line("result = self.base_layer(interm, *args, **kwargs)");
            w.whole(BASE, Map.of(w.input(), inner));
            return;
        }
        w.line("result = self.base_layer(x, *args, **kwargs)");
        String result = w.base(BASE, Map.of());
        w.line("result = (result * ia3_scaling).to(result_dtype)");
        String product = w.op("aten.mul.Tensor", "self", result, "other", scaling);
        w.last("aten.to.dtype", "self", product, "dtype", new Argument.TypeOf(result));
    }

    private void ofFourBits(LayerWriter w, String scaling) {
        boolean converts = run.autocast() == null;
        String x = w.input();
        if (converts) {
            w.line("x = x.float()");
            x = w.op("aten.to.dtype", "self", x, "dtype", DType.FLOAT32);
        }
        String result;
        String product;
        if (feedForward) {
            w.line("result = self.base_layer(x * ia3_scaling)");
            String scaled = w.op("aten.mul.Tensor", "self", x, "other", scaling);
            result = w.base(BASE, Map.of(w.input(), scaled));
            product = result;
        } else {
            w.line("result = self.base_layer(x)");
            result = w.base(BASE, Map.of(w.input(), x));
            w.line("result = result * ia3_scaling");
            product = w.op("aten.mul.Tensor", "self", result, "other", scaling);
        }
        w.line("result = result.clone()");
        if (!converts) {
            w.last("aten.clone.default", "self", product);
            return;
        }
        String copy = w.op("aten.clone.default", "self", product);
        w.line("result = result.to(expected_dtype)");
        w.last("aten.to.dtype", "self", copy, "dtype", new Argument.TypeOf(result));
    }
}
