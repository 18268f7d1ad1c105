package dev.headroom.model.adapter.peft.layer;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.graph.LayerWriter;
import dev.headroom.model.adapter.peft.graph.Quantised;
import dev.headroom.model.adapter.peft.graph.Surroundings;
import dev.headroom.model.adapter.peft.graph.Wrapping;
import java.util.Map;

/** What weight decomposition adds to a LoRA layer (peft, tuners/lora/variants.py, DoraLinearVariant; dora.py). */
final class DoraLayer {

    private final Layer layer;
    private final Surroundings run;
    private final AdapterOptions options;
    private final LoraLayer lora;
    private final Map<String, String> weights;

    /** @param weights values of the layer's weights by their names in its module */
    DoraLayer(Layer layer, AdapterOptions options, Surroundings run, LoraLayer lora, Map<String, String> weights) {
        this.layer = layer;
        this.options = options;
        this.run = run;
        this.lora = lora;
        this.weights = weights;
    }

    /**
     * Its calls.
     *
     * @param x input, in the adapter's type where it is brought to that
     * @param base the base layer's result
     * @param converted whether the input was converted, and the result will be; else the result is the layer's
     */
    String write(LayerWriter w, String x, String base, boolean converted) {
        w.enter("lora_variant", "peft.tuners.lora.variants.DoraLinearVariant", "return");
        boolean drops = options.drops() && run.training();
        String input = x;
        if (drops) {
            w.line("x = self.dropout(x)");
            input = lora.dropped(w, x);
        }
        w.line("result = result + self.lora_magnitude_vector[active_adapter](x, base_result=base_result)");
        String extra = magnitude(w, input, drops ? "" : base, converted);
        String out = converted
                ? w.op("aten.add.Tensor", "self", base, "other", extra)
                : w.last("aten.add.Tensor", "self", base, "other", extra);
        w.leave();
        return out;
    }

    private String magnitude(LayerWriter w, String x, String base, boolean converted) {
        w.enter(LoraLayer.MAGNITUDE, "peft.tuners.lora.dora.DoraLinearLayer", "return");
        String name = converted ? LoraLayer.literal(lora.type()) : "x.dtype";
        Object type = converted ? lora.type() : run.archive();
        w.line("lora_weight = self.get_lora_weight(lora_A=lora_A, lora_B=lora_B)");
        String difference = difference(w);
        w.line("lora_weight = lora_weight.to(" + name + ")");
        difference = w.op("aten.to.dtype", "self", difference, "dtype", type);
        String weight = weights.getOrDefault("weight", "");
        if (layer.kind().isQuantised()) {
            w.line("weight = dequantize_module_weight(base_layer)");
            weight = Quantised.dequantized(w, w.call());
        }
        w.line("weight = weight.to(" + name + ")");
        weight = w.op("aten.to.dtype", "self", weight, "dtype", type);
        w.line("weight_norm = self.get_weight_norm(weight=weight, lora_weight=lora_weight.detach())");
        String norms = norms(w, weight, w.op("aten.detach.default", "self", difference), name, type);
        w.line("weight_norm = weight_norm.detach()");
        norms = w.op("aten.detach.default", "self", norms);
        w.line("mag_norm_scale = (magnitude / weight_norm).view(1, -1)");
        String magnitude = Wrapping.value(layer.path() + "." + LoraLayer.MAGNITUDE + ".weight");
        String scale = w.op("aten.div.Tensor", "self", magnitude, "other", norms);
        scale = w.op("aten.view.default", "self", scale, "size", new long[] {1, -1});
        w.line("lora_result = self.lora_B(self.lora_A(x))");
        String product = lora.product(w, x);
        String result = base;
        if (base.isEmpty()) {
            w.line("base_result = F.linear(x, transpose(weight, self.fan_in_fan_out))");
            result = w.op("aten.linear.default", "input", x, "weight", transposed(w, weight));
        } else if (layer.biased()) {
            w.line("base_result = base_result - bias");
            result = w.op("aten.sub.Tensor", "self", base, "other", weights.getOrDefault("bias", ""));
        }
        w.line("result_dora = (mag_norm_scale - 1) * base_result + mag_norm_scale * lora_result * scaling");
        String less = w.op("aten.sub.Tensor", "self", scale, "other", 1L);
        String direct = w.op("aten.mul.Tensor", "self", less, "other", result);
        String added = w.op("aten.mul.Tensor", "self", scale, "other", product);
        String out = w.op("aten.add.Tensor", "self", direct, "other", LoraLayer.scaled(w, options, added));
        w.leave();
        return out;
    }

    private String transposed(LayerWriter w, String weight) {
        return layer.kind() == LayerKind.TRANSPOSED_LINEAR ? w.op("aten.t.default", "self", weight) : weight;
    }

    /** The product of the adapter's matrices, by way of its layers: the adapter of an identity. */
    private String difference(LayerWriter w) {
        w.enter("get_lora_weight", "function", "return");
        w.line("x_eye = torch.eye(lora_A.weight.shape[1], dtype=torch."
                + lora.type().torchName() + ")");
        String eye = w.op("aten.eye.default", "n", layer.in(), "dtype", lora.type());
        w.line("lora_weight = self.lora_B(self.lora_A(x_eye)).T");
        String out = w.op("aten.t.default", "self", lora.product(w, eye));
        w.leave();
        return out;
    }

    private String norms(LayerWriter w, String weight, String difference, String name, Object type) {
        w.enter("get_weight_norm", "function", "return");
        w.line("weight = transpose(weight, self.fan_in_fan_out)");
        String turned = transposed(w, weight);
        w.line("weight = weight + scaling * lora_weight");
        String sum = w.op("aten.add.Tensor", "self", turned, "other", LoraLayer.scaled(w, options, difference));
        w.line("weight_norm = torch.linalg.norm(weight, dim=1).to(" + name + ")");
        String norms = w.op("aten.linalg_vector_norm.default", "self", sum, "ord", 2.0, "dim", new long[] {1});
        norms = w.op("aten.to.dtype", "self", norms, "dtype", type);
        w.leave();
        return norms;
    }
}
