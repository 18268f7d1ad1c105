package dev.headroom.model.adapter.peft.layer;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.graph.LayerWriter;
import dev.headroom.model.adapter.peft.graph.Surroundings;
import dev.headroom.model.adapter.peft.graph.Wrapping;
import dev.headroom.model.adapter.peft.graph.Wrapping.Added;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The LoRA layer around a linear one (peft, tuners/lora/layer.py, Linear; tuners/lora/bnb.py). */
public final class LoraLayer implements AdapterLayer {
    /** The wrapped layer's name in its wrapper. */
    static final String BASE = "base_layer";

    /** What a layer registers besides. */
    public static final List<String> MODULES = List.of(
            "lora_dropout",
            "lora_dropout.default",
            "lora_A",
            "lora_A.default",
            "lora_B",
            "lora_B.default",
            "lora_embedding_A",
            "lora_embedding_B",
            "lora_magnitude_vector");

    /** What DoRA registers. */
    static final String MAGNITUDE = "lora_magnitude_vector.default";

    private static final String LINEAR = "torch.nn.modules.linear.Linear";

    private final Layer layer;
    private final AdapterOptions options;
    private final Surroundings run;

    LoraLayer(Layer layer, AdapterOptions options, Surroundings run) {
        this.layer = layer;
        this.options = options;
        this.run = run;
    }

    @Override
    public Wrapping wrapping() {
        boolean turned = layer.kind() == LayerKind.TRANSPOSED_LINEAR;
        return around(
                layer,
                options,
                new Added(layer.path() + ".lora_A.default.weight", List.of((long) options.rank(), layer.in())),
                new Added(layer.path() + ".lora_B.default.weight", List.of(layer.out(), (long) options.rank())),
                MODULES,
                turned ? Addition.Kind.COLUMN_NORMS : Addition.Kind.ROW_NORMS);
    }

    /**
     * The modules and tensors of an adapter with two matrices and, with DoRA, the norms of the adapted weight.
     *
     * @param registered modules that the wrapper registers beside the wrapped layer
     * @param norms how the norms are taken
     */
    static Wrapping around(
            Layer layer, AdapterOptions options, Added a, Added b, List<String> registered, Addition.Kind norms) {
        List<Added> tensors = new ArrayList<>(List.of(a, b));
        List<Addition> made = new ArrayList<>();
        tensors.forEach(t -> made.add(new Addition(Addition.Kind.NEW, t.name(), layer.type(), List.of())));
        List<String> modules = new ArrayList<>(registered);
        if (options.dora()) {
            modules.add(MAGNITUDE);
            Added magnitude = new Added(layer.path() + "." + MAGNITUDE + ".weight", List.of(layer.out()));
            made.add(new Addition(norms, magnitude.name(), layer.type(), List.of(inBase(layer), a.name(), b.name())));
            tensors.add(magnitude);
        }
        return new Wrapping(layer.path(), BASE, modules, tensors, made);
    }

    @Override
    public void write(LayerWriter w, Map<String, String> weights) {
        boolean quantised = layer.kind().isQuantised();
        boolean converts = !quantised || run.autocast() == null;
        w.line("result, torch_result = self.base_layer(x, *args, **kwargs)");
        String result = w.base(BASE, Map.of());
        if (layer.kind() == LayerKind.LINEAR_4BIT) {
            w.line("result = result.clone()");
            result = w.op("aten.clone.default", "self", result);
        }
        String x = w.input();
        if (converts) {
            w.line("x = x.to(" + literal(type()) + ")");
            x = w.op("aten.to.dtype", "self", x, "dtype", type());
        }
        if (options.dora()) {
            w.line("result = self.lora_variant[active_adapter].forward(self, x=x, result=result)");
            result = new DoraLayer(layer, options, run, this, weights).write(w, x, result, converts);
        } else if (quantised) {
            w.line("output = self.lora_B(self.lora_A(self.dropout(x))) * scaling");
            String output = scaled(w, options, product(w, dropped(w, x)));
            if (converts) {
                w.line("output = output.to(torch_result.dtype)");
                output = w.op("aten.to.dtype", "self", output, "dtype", run.archive());
            }
            w.line("result = result + output");
            w.last("aten.add.Tensor", "self", result, "other", output);
            return;
        } else {
            w.line("result = result + self.lora_B(self.lora_A(self.dropout(x))) * scaling");
            String output = scaled(w, options, product(w, dropped(w, x)));
            result = w.op("aten.add.Tensor", "self", result, "other", output);
        }
        if (converts) {
            w.line("result = result.to(torch_result.dtype)");
            w.last("aten.to.dtype", "self", result, "dtype", run.archive());
        }
    }

    /** {@code dropout(x)}, where it drops anything. */
    String dropped(LayerWriter w, String x) {
        return dropped(w, x, "lora_dropout", options, run);
    }

    /** The same in any layer, whose module for it has a name. */
    static String dropped(LayerWriter w, String x, String module, AdapterOptions options, Surroundings run) {
        Double dropout = options.dropout();
        if (dropout == null || !run.training()) {
            return x;
        }
        w.enter(
                module + ".default",
                "torch.nn.modules.dropout.Dropout",
                "return F.dropout(input, self.p, self.training, self.inplace)");
        String out = w.op("aten.dropout.default", "input", x, "p", dropout, "train", true);
        w.leave();
        return out;
    }

    /** {@code lora_B(lora_A(x))}. */
    String product(LayerWriter w, String x) {
        return linear(w, "lora_B", linear(w, "lora_A", x));
    }

    private String linear(LayerWriter w, String module, String x) {
        w.enter(module + ".default", LINEAR, "return F.linear(input, self.weight, self.bias)");
        String weight = Wrapping.value(layer.path() + "." + module + ".default.weight");
        String out = w.op("aten.linear.default", "input", x, "weight", weight);
        w.leave();
        return out;
    }

    /** {@code * scaling}. */
    public static String scaled(LayerWriter w, AdapterOptions options, String t) {
        return w.op("aten.mul.Tensor", "self", t, "other", options.scaling());
    }

    /** The type of the adapter in a run. */
    DType type() {
        return run.usedType(layer.type(), options);
    }

    /** Qualified name of the wrapped layer's weight. */
    private static String inBase(Layer layer) {
        return layer.path() + "." + BASE
                + layer.weightName().substring(layer.path().length());
    }

    /** A type by name. */
    public static String literal(DType type) {
        return "torch." + type.torchName();
    }
}
