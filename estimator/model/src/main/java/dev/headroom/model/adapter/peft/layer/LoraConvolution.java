package dev.headroom.model.adapter.peft.layer;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.graph.CallSpan;
import dev.headroom.model.adapter.peft.graph.LayerWriter;
import dev.headroom.model.adapter.peft.graph.Surroundings;
import dev.headroom.model.adapter.peft.graph.Wrapping;
import dev.headroom.model.adapter.peft.graph.Wrapping.Added;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The LoRA layer around a convolution: one of its kernel, then one of size 1 (tuners/lora/layer.py, _ConvNd). */
final class LoraConvolution implements AdapterLayer {
    private final Layer layer;
    private final AdapterOptions options;
    private final Surroundings run;
    private final Node base;
    private final long groups;

    LoraConvolution(Layer layer, CallSpan call, AdapterOptions options, Surroundings run) {
        this.layer = layer;
        this.options = options;
        this.run = run;
        this.base = call.nodes().get(0);
        this.groups =
                base.argument("groups") instanceof Argument.Int i ? i.value().evaluate(Map.of()) : 1;
        if (options.dora()) {
            throw new UserInputException("`dora`: '" + layer.path()
                    + "' is a convolution; only adapters of linear layers" + " and embeddings can be decomposed here");
        }
        if (options.rank() % groups != 0) {
            throw new UserInputException("`lora=" + options.rank() + "`: the convolution '" + layer.path() + "' has "
                    + groups + " groups; peft takes a rank that they divide");
        }
    }

    @Override
    public Wrapping wrapping() {
        String path = layer.path();
        long rank = options.rank();
        List<Long> kernel = layer.weight().subList(2, layer.weight().size());
        List<Long> a = new ArrayList<>(List.of(rank, layer.in() * groups));
        a.addAll(kernel);
        List<Long> b = new ArrayList<>(List.of(layer.out(), rank / groups));
        b.addAll(Collections.nCopies(kernel.size(), 1L));
        return LoraLayer.around(
                layer,
                options,
                new Added(path + ".lora_A.default.weight", a),
                new Added(path + ".lora_B.default.weight", b),
                LoraLayer.MODULES,
                Addition.Kind.ROW_NORMS);
    }

    @Override
    public void write(LayerWriter w, Map<String, String> weights) {
        LoraLayer linear = new LoraLayer(layer, options, run);
        w.line("result, torch_result = self.base_layer(x, *args, **kwargs)");
        String result = w.base(LoraLayer.BASE, Map.of());
        w.line("x = x.to(" + LoraLayer.literal(linear.type()) + ")");
        String x = w.op("aten.to.dtype", "self", w.input(), "dtype", linear.type());
        w.line("result = result + self.lora_B(self.lora_A(self.dropout(x))) * scaling");
        String output = convolved(w, "lora_B", convolved(w, "lora_A", linear.dropped(w, x)));
        result = w.op("aten.add.Tensor", "self", result, "other", LoraLayer.scaled(w, options, output));
        w.line("result = result.to(torch_result.dtype)");
        w.last("aten.to.dtype", "self", result, "dtype", run.archive());
    }

    private String convolved(LayerWriter w, String module, String x) {
        boolean first = module.equals("lora_A");
        w.enter(
                module + ".default",
                w.call().module().type(),
                "return self._conv_forward(input, self.weight, self.bias)");
        List<Object> arguments = new ArrayList<>(
                List.of("input", x, "weight", Wrapping.value(layer.path() + "." + module + ".default.weight")));
        for (Node.NamedArgument a : base.arguments()) {
            boolean kept = first && (a.name().equals("stride") || a.name().equals("padding"));
            if (kept || !first && a.name().equals("groups")) {
                arguments.add(a.name());
                arguments.add(a.value());
            }
        }
        String out = w.op(base.target(), arguments.toArray());
        w.leave();
        return out;
    }
}
