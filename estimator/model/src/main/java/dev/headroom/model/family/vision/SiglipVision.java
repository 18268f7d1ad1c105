package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;

/** {@code SiglipVisionModel} without its pooling head (transformers, models/siglip/modeling_siglip.py). */
final class SiglipVision extends Layer {
    private static final String CLASS = "transformers.models.siglip.modeling_siglip.Siglip";

    private final Layer embeddings;
    private final Layer encoder;
    private final Layer after;

    SiglipVision(ModelConfig c, Request request) {
        if (c.flag("vision_use_head", true)) {
            throw new UserInputException(c.source() + ": a SigLIP tower with a pooling head is not written; pass `set`"
                    + " with \"vision_use_head\": false in vision_config, or export the model (headroom export-help)");
        }
        embeddings = child("embeddings", new Patches(c));
        encoder = child("encoder", new LayerStack(c, request));
        after = child("post_layernorm", Layers.layerNorm(c.size("hidden_size")));
    }

    @Override
    protected String type() {
        return CLASS + "VisionModel";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("x = self.embeddings(pixel_values)");
        Value x = s.call(embeddings, in[0]);
        s.line("last = self.encoder(x)");
        Value last = s.call(encoder, x);
        s.line("last = self.post_layernorm(last)");
        Value out = s.call(after, last);
        s.use(x, last); // still named: hidden_states, and encoder_outputs holds what the last layer made
        return out;
    }

    /** {@code SiglipEncoder}. */
    private static final class LayerStack extends Layer {
        private final List<Layer> all = new ArrayList<>();

        private LayerStack(ModelConfig c, Request request) {
            ModuleList list = child("layers", new ModuleList());
            for (int i = 0; i < c.size("num_hidden_layers"); i++) {
                all.add(list.add(new ClipLayer(c, request, CLASS, VisionAttention.Kind.SIGLIP, "gelu_pytorch_tanh")));
            }
        }

        @Override
        protected String type() {
            return CLASS + "Encoder";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("x = encoder_layer(x)");
            Value x = in[0];
            for (Layer layer : all) {
                x = s.call(layer, x);
            }
            return x;
        }
    }

    /** {@code SiglipVisionEmbeddings}. */
    private static final class Patches extends Layer {
        private final Layer patches;
        private final Layer places;

        private Patches(ModelConfig c) {
            long width = c.size("hidden_size");
            long patch = c.size("patch_size");
            long side = c.size("image_size") / patch;
            patches =
                    child("patch_embedding", Layers.conv2d(c.size("num_channels", 3), width, patch, patch, 0, 1, true));
            places = child("position_embedding", Layers.embedding(side * side, width));
            scratch("position_ids", DType.INT64, 1, side * side);
        }

        @Override
        protected String type() {
            return CLASS + "VisionEmbeddings";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("patch_embeds = self.patch_embedding(pixel_values.to(dtype=target_dtype))");
            Argument like = new Argument.TypeOf(s.parameter(patches, "weight").name());
            Value x = s.call(patches, s.op("aten.to.dtype", "self", in[0], "dtype", like));
            s.line("embeddings = patch_embeds.flatten(2).transpose(1, 2)");
            Value flat = s.op("aten.flatten.using_ints", "self", x, "start_dim", 2);
            Value rows = s.op("aten.transpose.int", "self", flat, "dim0", 1, "dim1", 2);
            s.line("embeddings = embeddings + self.position_embedding(self.position_ids)");
            Value at = s.call(places, s.parameter("position_ids"));
            return s.op("aten.add.Tensor", "self", rows, "other", at);
        }
    }
}
