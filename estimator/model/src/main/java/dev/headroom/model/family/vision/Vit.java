package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.Losses;
import dev.headroom.model.family.head.Tasks;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.List;

/** ViT, which classifies images (transformers, models/vit/modeling_vit.py). */
public final class Vit extends SeveralResults {
    static final String CLASS = "transformers.models.vit.modeling_vit.ViT";

    private final Request request;
    private final Layer model;
    private final Layer classifier;
    private final long classes;

    private Vit(Request request) {
        this.request = request;
        ModelConfig c = request.config();
        if (request.options().task() != ModelOptions.Task.AUTO) {
            throw new UserInputException(c.source() + ": ViT classifies images; leave `task` out");
        }
        classes = Tasks.classes(c);
        model = child("vit", new Model(c, request));
        classifier = child("classifier", Layers.linear(c.size("hidden_size"), classes));
    }

    /** The model that a config describes. */
    public static Layer of(Request request) {
        return new Vit(request);
    }

    @Override
    protected String type() {
        return CLASS + "ForImageClassification";
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("outputs = self.vit(pixel_values)");
        Value states = s.call(model, in[0]);
        s.line("pooled_output = sequence_output[:, 0, :]");
        Value pooled = s.op("aten.select.int", "self", states, "dim", 1, "index", 0);
        s.line("logits = self.classifier(pooled_output)");
        Value logits = s.call(classifier, pooled);
        Value[] out =
                request.labelled() ? new Value[] {Losses.counted(s, logits, classes), logits} : new Value[] {logits};
        s.use(states); // outputs
        return out;
    }

    /** {@code ViTModel}. */
    private static final class Model extends Layer {
        private final Embeddings embeddings;
        private final List<Layer> layers = new ArrayList<>();
        private final Layer norm;

        private Model(ModelConfig c, Request request) {
            embeddings = child("embeddings", new Embeddings(c));
            ModuleList list = child("layers", new ModuleList());
            for (int i = 0; i < c.size("num_hidden_layers", 12); i++) {
                layers.add(list.add(new VitLayer(c, request)));
            }
            norm = child("layernorm", Layers.layerNorm(c.size("hidden_size")));
        }

        @Override
        protected String type() {
            return CLASS + "Model";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("pixel_values = pixel_values.to(expected_dtype)");
            Argument like = new Argument.TypeOf(
                    s.parameter(embeddings.patches.projection, "weight").name());
            Value pixels = s.op("aten.to.dtype", "self", in[0], "dtype", like);
            s.line("embedding_output = self.embeddings(pixel_values)");
            Value embedded = s.call(embeddings, pixels);
            Value x = embedded;
            s.line("x = layer(x)");
            for (Layer layer : layers) {
                x = s.call(layer, x);
            }
            s.line("sequence_output = self.layernorm(x)");
            Value out = s.call(norm, x);
            s.use(embedded);
            return out;
        }
    }

    /** {@code ViTEmbeddings}: patches, behind a token that stands for the class. */
    private static final class Embeddings extends Layer {
        private final Patches patches;
        private final Layer dropout;

        private Embeddings(ModelConfig c) {
            long width = c.size("hidden_size");
            long side = c.size("image_size", 224) / c.size("patch_size", 16);
            parameter("cls_token", 1, 1, width);
            parameter("position_embeddings", 1, side * side + 1, width);
            patches = child("patch_embeddings", new Patches(c));
            dropout = child("dropout", Layers.dropout(c.number("hidden_dropout_prob", 0)));
        }

        @Override
        protected String type() {
            return CLASS + "Embeddings";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("embeddings = self.patch_embeddings(pixel_values)");
            Value x = s.call(patches, in[0]);
            s.line("cls_tokens = self.cls_token.expand(batch_size, -1, -1)");
            SymExpr[] sizes = {Request.BATCH, SymExpr.of(-1), SymExpr.of(-1)};
            Value first = s.op("aten.expand.default", "self", s.parameter("cls_token"), "size", sizes);
            s.line("embeddings = torch.cat((cls_tokens, embeddings), dim=1)");
            x = s.op("aten.cat.default", "tensors", new Value[] {first, x}, "dim", 1);
            s.line("embeddings = embeddings + self.position_embeddings");
            x = s.op("aten.add.Tensor", "self", x, "other", s.parameter("position_embeddings"));
            s.line("embeddings = self.dropout(embeddings)");
            return s.call(dropout, x);
        }
    }

    /** {@code ViTPatchEmbeddings}. */
    private static final class Patches extends Layer {
        private final Layer projection;

        private Patches(ModelConfig c) {
            long patch = c.size("patch_size", 16);
            projection = child(
                    "projection",
                    Layers.conv2d(c.size("num_channels", 3), c.size("hidden_size"), patch, patch, 0, 1, true));
        }

        @Override
        protected String type() {
            return CLASS + "PatchEmbeddings";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("embeddings = self.projection(pixel_values).flatten(2).transpose(1, 2)");
            Value x = s.call(projection, in[0]);
            Value flat = s.op("aten.flatten.using_ints", "self", x, "start_dim", 2);
            return s.op("aten.transpose.int", "self", flat, "dim0", 1, "dim1", 2);
        }
    }
}
