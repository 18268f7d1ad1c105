package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.SelfAttention;
import java.util.List;

/** SmolLM 3: Llama, some of whose layers know no positions (transformers, models/smollm3/modeling_smollm3.py). */
public final class SmolLm3 {
    private static final String CLASS = "transformers.models.smollm3.modeling_smollm3.SmolLM3";

    private SmolLm3() {}

    /** The model that a config describes. */
    public static Layer of(Request request) {
        Plain p = new Plain(request, CLASS, 1e-6);
        ModelConfig c = p.config;
        AttentionShape shape = AttentionShape.of(c, CLASS + "Attention");
        List<String> turned = c.texts("no_rope_layers"); // 1 where positions are known
        long interval = c.size("no_rope_layer_interval", 4);
        boolean slides = c.flag("use_sliding_window", false) && c.has("sliding_window");
        Plain.Kinds kinds = p.kinds(
                shape, slides ? c.size("sliding_window") : 1, i -> slides && !turns(turned, interval, i), false);
        boolean bias = c.flag("mlp_bias", false);
        return p.model(
                p.layers(i -> p.layer(
                        Attention.named(
                                kinds.shapes().get(i),
                                request,
                                p.pass,
                                turns(turned, interval, i) ? SelfAttention.Turn.WHOLE : SelfAttention.Turn.NONE,
                                Attention.Names.USUAL),
                        p.feedForward(bias))),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), kinds.windows(), List.of()),
                true);
    }

    private static boolean turns(List<String> said, long interval, int layer) {
        return said.isEmpty() ? (layer + 1) % interval != 0 : !said.get(layer).equals("0");
    }
}
