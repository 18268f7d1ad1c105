package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.List;

/** {@code CLIPVisionModel}: patches of an image, and layers that see all of them. */
final class ClipVision extends SeveralResults {
    private static final String CLASS = ClipLayer.CLASS;

    private final Layer embeddings;
    private final Layer before;
    private final ClipEncoder encoder;
    private final Layer after;

    ClipVision(ModelConfig c, Request request) {
        long width = c.size("hidden_size");
        embeddings = child("embeddings", new Patches(c));
        before = child("pre_layrnorm", Layers.layerNorm(width));
        encoder = child("encoder", new ClipEncoder(c, request, false));
        after = child("post_layernorm", Layers.layerNorm(width));
    }

    @Override
    protected String type() {
        return CLASS + "VisionModel";
    }

    /** The hidden states before the first layer and after each, and what was pooled, last. */
    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("x = self.embeddings(pixel_values)");
        Value x = s.call(embeddings, in[0]);
        s.line("x = self.pre_layrnorm(x)");
        x = s.call(before, x);
        s.line("outputs = self.encoder(x)");
        List<Value> all = new ArrayList<>(List.of(x));
        all.addAll(List.of(s.results(encoder, x)));
        s.line("pooled = last_hidden_state[:, 0, :]");
        Value first = s.op("aten.select.int", "self", all.get(all.size() - 1), "dim", 1, "index", 0);
        s.line("pooled = self.post_layernorm(pooled)");
        all.add(s.call(after, first));
        return all.toArray(Value[]::new);
    }

    /** {@code CLIPVisionEmbeddings}. */
    private static final class Patches extends Layer {
        private final Layer patches;
        private final Layer places;

        private Patches(ModelConfig c) {
            long width = c.size("hidden_size");
            long side = c.size("image_size", 224) / c.size("patch_size", 32);
            parameter("class_embedding", width);
            long patch = c.size("patch_size", 32);
            patches = child(
                    "patch_embedding", Layers.conv2d(c.size("num_channels", 3), width, patch, patch, 0, 1, false));
            places = child("position_embedding", Layers.embedding(side * side + 1, width));
            scratch("position_ids", DType.INT64, 1, side * side + 1);
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
            s.line("patch_embeds = patch_embeds.flatten(2).transpose(1, 2)");
            Value flat = s.op("aten.flatten.using_ints", "self", x, "start_dim", 2);
            Value rows = s.op("aten.transpose.int", "self", flat, "dim0", 1, "dim1", 2);
            s.line("class_embeds = self.class_embedding.expand(batch_size, 1, -1)");
            SymExpr[] sizes = {Request.BATCH, SymExpr.of(1), SymExpr.of(-1)};
            Value first = s.op("aten.expand.default", "self", s.parameter("class_embedding"), "size", sizes);
            s.line("embeddings = torch.cat([class_embeds, patch_embeds], dim=1)");
            Value all = s.op("aten.cat.default", "tensors", new Value[] {first, rows}, "dim", 1);
            s.line("embeddings = embeddings + self.position_embedding(self.position_ids)");
            Value at = s.call(places, s.parameter("position_ids"));
            return s.op("aten.add.Tensor", "self", all, "other", at);
        }
    }
}
