package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.ModuleList;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code BertModel}: embeddings, layers and, for some heads, a pooler. */
final class Encoder extends SeveralResults {
    private final Shape shape;
    private final Request request;
    private final Embeddings embeddings;
    private final LayerStack layers;
    private final Layer pooler;
    private final boolean pools;
    private final @Nullable Layer project;

    Encoder(Shape shape, Request request, Embeddings embeddings, boolean pools) {
        this(shape, request, embeddings, pools, null);
    }

    /** @param project from the width of the embeddings to that of the layers; {@code null} where they are alike */
    Encoder(Shape shape, Request request, Embeddings embeddings, boolean pools, @Nullable Layer project) {
        this.shape = shape;
        this.request = request;
        this.embeddings = child("embeddings", embeddings);
        this.project = project == null ? null : child("embeddings_project", project);
        layers = child("encoder", new LayerStack(shape, request));
        pooler = new Pooler(shape);
        if (pools) {
            child("pooler", pooler);
        }
        this.pools = pools;
    }

    Embeddings embeddings() {
        return embeddings;
    }

    @Override
    protected String type() {
        return shape.prefix() + "Model";
    }

    /** The last hidden states and, with a pooler, what it made of the first token. */
    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("embedded = self.embeddings(input_ids)");
        Value x = s.call(embeddings, in[0]);
        if (project != null) {
            s.line("embedded = self.embeddings_project(embedded)");
            x = s.call(project, x);
        }
        Value embedded = x;
        s.line("mask = self._create_attention_masks(attention_mask, embedded)");
        Optional<Value> mask = Masks.bidirectional(s, request, embedded, Masks.NO_WINDOW);
        s.line("sequence_output = self.encoder(embedded, mask)");
        Value out = s.call(layers, mask.isPresent() ? new Value[] {x, mask.get()} : new Value[] {x});
        if (!pools) {
            return new Value[] {out};
        }
        s.line("pooled_output = self.pooler(sequence_output)");
        return new Value[] {out, s.call(pooler, out)};
    }

    private static final class LayerStack extends Layer {
        private final Shape shape;
        private final Layer[] all;

        private LayerStack(Shape shape, Request request) {
            this.shape = shape;
            ModuleList list = child("layer", new ModuleList());
            all = new Layer[(int) request.config().size("num_hidden_layers")];
            for (int i = 0; i < all.length; i++) {
                all[i] = list.add(new EncoderLayer(shape, request));
            }
        }

        @Override
        protected String type() {
            return shape.prefix() + "Encoder";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("x = layer(x, mask)");
            Value[] given = in.clone();
            for (Layer layer : all) {
                given[0] = s.call(layer, given);
            }
            return given[0];
        }
    }

    private static final class Pooler extends Layer {
        private final Shape shape;
        private final Layer dense;
        private final Layer activation;

        private Pooler(Shape shape) {
            this.shape = shape;
            dense = child("dense", Layers.linear(shape.width(), shape.width()));
            activation = child("activation", Layers.tanh());
        }

        @Override
        protected String type() {
            return shape.prefix() + "Pooler";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("first = x[:, 0]");
            Value first = s.op("aten.select.int", "self", in[0], "dim", 1, "index", 0);
            s.line("pooled = self.dense(first)");
            Value pooled = s.call(dense, first);
            s.line("pooled = self.activation(pooled)");
            return s.call(activation, pooled);
        }
    }
}
