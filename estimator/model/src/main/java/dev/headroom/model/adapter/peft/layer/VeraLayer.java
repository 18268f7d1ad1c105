package dev.headroom.model.adapter.peft.layer;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.graph.LayerWriter;
import dev.headroom.model.adapter.peft.graph.Surroundings;
import dev.headroom.model.adapter.peft.graph.Wrapping;
import dev.headroom.model.adapter.peft.graph.Wrapping.Added;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.Argument;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The VeRA layer around a linear one (peft, tuners/vera/layer.py, Linear). */
final class VeraLayer implements AdapterLayer {
    private static final String A = ".vera_A.default";
    private static final String B = ".vera_B.default";
    private static final String ON_RESULTS = ".vera_lambda_b.default";
    private static final String ON_RANKS = ".vera_lambda_d.default";

    private final Layer layer;
    private final Projection shared;
    private final AdapterOptions options;
    private final Surroundings run;

    VeraLayer(Layer layer, Projection shared, AdapterOptions options, Surroundings run) {
        this.layer = layer;
        this.shared = shared;
        this.options = options;
        this.run = run;
    }

    @Override
    public Wrapping wrapping() {
        long rank = options.methodSize();
        List<Added> tensors = new ArrayList<>(List.of(
                new Added(layer.path() + ON_RESULTS, List.of(layer.out())),
                new Added(layer.path() + ON_RANKS, List.of(rank))));
        if (layer.path().equals(shared.owner())) {
            tensors.add(Added.buffer(layer.path() + A, List.of(rank, shared.in()), null));
            tensors.add(Added.buffer(layer.path() + B, List.of(shared.out(), rank), null));
        }
        List<Addition> made = tensors.stream().map(t -> t.made(layer.type())).toList();
        List<String> modules =
                List.of("vera_dropout", "vera_dropout.default", "vera_lambda_b", "vera_lambda_d", "vera_A", "vera_B");
        return new Wrapping(layer.path(), LoraLayer.BASE, modules, tensors, made);
    }

    @Override
    public void write(LayerWriter w, Map<String, String> weights) {
        w.line("result = self.base_layer(x, *args, **kwargs)");
        String base = w.base(LoraLayer.BASE, Map.of());
        String result = base;
        if (layer.kind() == LayerKind.LINEAR_4BIT) {
            w.line("result = self.quantization_backend.maybe_clone_base_result(result)");
            result = w.op("aten.clone.default", "self", base);
        }
        w.line("sliced_A = vera_A[:, : self.in_features].to(x.device)");
        String a = sliced(w, A, 1, layer.in(), shared.in());
        w.line("sliced_B = vera_B[: self.out_features, :].to(x.device)");
        String b = sliced(w, B, 0, layer.out(), shared.out());
        w.line("x = self._cast_input_dtype(x, lambda_d.dtype)");
        String x = w.op("aten.to.dtype", "self", w.input(), "dtype", run.usedType(layer.type(), options));
        w.line("result = result + lambda_b * F.linear(lambda_d * F.linear(dropout(x), sliced_A), sliced_B)");
        String ranks = w.op(
                "aten.linear.default", "input", LoraLayer.dropped(w, x, "vera_dropout", options, run), "weight", a);
        String weighed = w.op("aten.mul.Tensor", "self", value(ON_RANKS), "other", ranks);
        String product = w.op("aten.linear.default", "input", weighed, "weight", b);
        String output = w.op("aten.mul.Tensor", "self", value(ON_RESULTS), "other", product);
        result = w.op("aten.add.Tensor", "self", result, "other", output);
        w.line("result = result.to(orig_dtype)");
        result = w.op("aten.to.dtype", "self", result, "dtype", new Argument.TypeOf(base));
        w.line("result = result.to(previous_dtype)");
        w.last("aten.to.dtype", "self", result, "dtype", new Argument.TypeOf(w.input()));
    }

    private String value(String name) {
        return Wrapping.value(layer.path() + name);
    }

    /** What of a shared matrix the layer takes; all of it is itself. */
    private String sliced(LayerWriter w, String name, long dim, long end, long all) {
        String whole = Wrapping.value(shared.owner() + name);
        return end == all ? whole : w.op("aten.slice.Tensor", "self", whole, "dim", dim, "start", 0L, "end", end);
    }
}
