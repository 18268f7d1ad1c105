package dev.headroom.model.adapter.peft.layer;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.graph.CallSpan;
import dev.headroom.model.adapter.peft.graph.LayerWriter;
import dev.headroom.model.adapter.peft.graph.Surroundings;
import dev.headroom.model.adapter.peft.graph.Wrapping;
import dev.headroom.model.adapter.peft.graph.Wrapping.Added;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The LoRA layer around an embedding (peft, tuners/lora/layer.py, Embedding; variants.py, DoraEmbeddingVariant). */
final class LoraEmbedding implements AdapterLayer {
    private static final String SCALE = "embed_scale";

    private final Layer layer;
    private final CallSpan call;
    private final AdapterOptions options;
    private final Surroundings run;

    LoraEmbedding(Layer layer, CallSpan call, AdapterOptions options, Surroundings run) {
        this.layer = layer;
        this.call = call;
        this.options = options;
        this.run = run;
    }

    @Override
    public Wrapping wrapping() {
        List<String> modules = new ArrayList<>(LoraLayer.MODULES);
        modules.removeAll(List.of("lora_A.default", "lora_B.default"));
        return LoraLayer.around(
                layer,
                options,
                new Added(layer.path() + ".lora_embedding_A.default", List.of((long) options.rank(), layer.in())),
                new Added(layer.path() + ".lora_embedding_B.default", List.of(layer.out(), (long) options.rank())),
                modules,
                Addition.Kind.COLUMN_NORMS);
    }

    @Override
    public void write(LayerWriter w, Map<String, String> weights) {
        w.line("result, torch_result = self.base_layer(x, *args, **kwargs)");
        String result = w.base(LoraLayer.BASE, Map.of());
        if (options.dora()) {
            w.line("result = self.lora_variant[active_adapter].forward(self, x=x, result=result)");
            w.enter("lora_variant", "peft.tuners.lora.variants.DoraEmbeddingVariant", "return");
        }
        w.line("embedding_A = self.lora_embedding_A[active_adapter].T");
        String a = w.op("aten.t.default", "self", Wrapping.value(layer.path() + ".lora_embedding_A.default"));
        w.line("embedding_B = self.lora_embedding_B[active_adapter].T");
        String b = w.op("aten.t.default", "self", Wrapping.value(layer.path() + ".lora_embedding_B.default"));
        if (options.dora()) {
            result = decomposed(w, a, b, result, weights);
            w.leave();
        } else {
            w.line("after_A = self._embed(x, embedding_A)");
            String after = embedded(w, a);
            w.line("adapter_output = (after_A @ embedding_B) * scaling");
            String output = LoraLayer.scaled(w, options, w.op("aten.matmul.default", "self", after, "other", b));
            output = weights.containsKey(SCALE) ? rescaled(w, "adapter_output", output, weights) : output;
            w.line("result = result + adapter_output");
            result = w.op("aten.add.Tensor", "self", result, "other", output);
        }
        w.line("result = result.to(torch_result.dtype)");
        w.last("aten.to.dtype", "self", result, "dtype", run.archive());
    }

    private String decomposed(LayerWriter w, String a, String b, String base, Map<String, String> weights) {
        w.line("mag_norm_scale, dora_result = self.lora_magnitude_vector[active_adapter](x)");
        w.enter(LoraLayer.MAGNITUDE, "peft.tuners.lora.dora.DoraEmbeddingLayer", "return");
        w.line("lora_weight = (lora_A @ lora_B).T");
        String product = w.op("aten.matmul.default", "self", a, "other", b);
        String difference = w.op("aten.t.default", "self", product);
        w.line("weight_norm = self.get_weight_norm(weight=weight, lora_weight=lora_weight.detach())");
        String detached = w.op("aten.detach.default", "self", difference);
        String weight = weights.getOrDefault("weight", "");
        String norms = norms(w, weight, detached);
        w.line("weight_norm = weight_norm.detach()");
        norms = w.op("aten.detach.default", "self", norms);
        w.line("mag_norm_scale = magnitude / weight_norm");
        String magnitude = Wrapping.value(layer.path() + "." + LoraLayer.MAGNITUDE + ".weight");
        String scale = w.op("aten.div.Tensor", "self", magnitude, "other", norms);
        w.line("result_dora = mag_norm_scale * (embed_fn(x, lora_A) @ lora_B) * scaling");
        String after = w.op("aten.matmul.default", "self", embedded(w, a), "other", b);
        String output = LoraLayer.scaled(w, options, w.op("aten.mul.Tensor", "self", scale, "other", after));
        w.leave();
        output = weights.containsKey(SCALE) ? rescaled(w, "dora_result", output, weights) : output;
        w.line("result = mag_norm_scale * result + dora_result");
        String direct = w.op("aten.mul.Tensor", "self", scale, "other", base);
        return w.op("aten.add.Tensor", "self", direct, "other", output);
    }

    private String norms(LayerWriter w, String weight, String difference) {
        w.enter("get_weight_norm", "function", "return");
        w.line("weight = transpose(weight, self.fan_in_fan_out)");
        String turned = w.op("aten.t.default", "self", weight);
        w.line("weight = weight + scaling * lora_weight");
        String sum = w.op("aten.add.Tensor", "self", turned, "other", LoraLayer.scaled(w, options, difference));
        DType type = run.adapterType(layer.type(), options);
        w.line("weight_norm = torch.linalg.norm(weight, dim=1).to(" + LoraLayer.literal(type) + ")");
        String norms = w.op("aten.linalg_vector_norm.default", "self", sum, "ord", 2.0, "dim", new long[] {1});
        norms = w.op("aten.to.dtype", "self", norms, "dtype", type);
        w.leave();
        return norms;
    }

    /** {@code F.embedding} with the first matrix of the adapter. */
    private String embedded(LayerWriter w, String weight) {
        Node base = call.nodes().stream()
                .filter(n -> n.operator().equals("aten.embedding"))
                .findFirst()
                .orElseThrow();
        List<Object> arguments = new ArrayList<>();
        for (Node.NamedArgument a : base.arguments()) {
            arguments.add(a.name());
            arguments.add(a.name().equals("weight") ? weight : a.value());
        }
        return w.op(base.target(), arguments.toArray());
    }

    /** Embeddings that multiply their result by a number have the adapter's multiplied, too. */
    private String rescaled(LayerWriter w, String name, String output, Map<String, String> weights) {
        DType type = run.adapterType(layer.type(), options);
        w.line(name + " = " + name + " * embed_scale.to(" + LoraLayer.literal(type) + ")");
        String scale = w.op("aten.to.dtype", "self", weights.getOrDefault(SCALE, ""), "dtype", type);
        return w.op("aten.mul.Tensor", "self", output, "other", scale);
    }
}
