package dev.headroom.model.family.llama4;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.List;

/** {@code Llama4VisionModel}: patches behind which a token stands for the class, and squares of them as tokens. */
final class VisionTower extends Layer {
    private final long width;
    private final long patches;
    private final Layer patchEmbedding;
    private final Layer places;
    private final Layer before;
    private final Layer after;
    private final Layer encoder;
    private final Layer adapter;

    VisionTower(ModelConfig c, Request request) {
        width = c.size("hidden_size");
        long side = c.size("image_size") / c.size("patch_size");
        patches = side * side;
        long heads = c.size("num_attention_heads");
        long size = c.divided("hidden_size", width, "num_attention_heads", heads);
        patchEmbedding = child("patch_embedding", new Patches(c));
        parameter("class_embedding", width);
        parameter("positional_embedding_vlm", patches + 1, width);
        places = child("rotary_embedding", new Places(patches + 1, size / 2));
        before = child("layernorm_pre", Layers.layerNorm(width));
        after = child("layernorm_post", Layers.layerNorm(width));
        encoder = child("model", new Stack(c, request));
        adapter = child("vision_adapter", new Adapter(c, side));
    }

    @Override
    protected String type() {
        return Llama4.CLASS + "VisionModel";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("hidden_state = self.patch_embedding(pixel_values)");
        Value x = s.call(patchEmbedding, in[0]);
        s.line("class_embedding = self.class_embedding.expand(hidden_state.shape[0], 1, hidden_state.shape[-1])");
        SymExpr[] one = {Request.BATCH, SymExpr.of(1), SymExpr.of(width)};
        Value first = s.op("aten.expand.default", "self", s.parameter("class_embedding"), "size", one);
        s.line("hidden_state = torch.cat([hidden_state, class_embedding], dim=1)");
        x = s.op("aten.cat.default", "tensors", new Value[] {x, first}, "dim", 1);
        s.line("hidden_state = hidden_state.reshape(batch_size_times_num_tiles, num_chunks, num_patches, hidden_dim)");
        SymExpr[] chunk = {Request.BATCH, SymExpr.of(1), SymExpr.of(patches + 1), SymExpr.of(width)};
        x = s.op("aten.reshape.default", "self", x, "shape", chunk);
        s.line("hidden_state = hidden_state + positional_embedding");
        x = s.op("aten.add.Tensor", "self", x, "other", s.parameter("positional_embedding_vlm"));
        s.line("hidden_state = self.layernorm_pre(hidden_state)");
        x = s.call(before, x);
        s.line("hidden_state = hidden_state.view(batch_size_times_num_tiles, -1, hidden_dim)");
        SymExpr[] rows = {Request.BATCH, SymExpr.of(-1), SymExpr.of(width)};
        x = s.op("aten.view.default", "self", x, "size", rows);
        s.line("freqs_ci = self.rotary_embedding(pixel_values)");
        Value by = s.call(places, in[0]);
        s.line("output = self.model(hidden_state, freqs_ci=freqs_ci)");
        Value output = s.call(encoder, x, by);
        s.line("hidden_state = self.layernorm_post(hidden_state)");
        x = s.call(after, output);
        s.line("hidden_state = hidden_state[:, :-1, :]");
        x = s.op("aten.slice.Tensor", "self", x, "dim", 1, "start", 0, "end", -1);
        s.line("hidden_state = self.vision_adapter(hidden_state)");
        x = s.call(adapter, x);
        s.use(output);
        return x;
    }

    /** {@code Llama4UnfoldConvolution}. */
    private static final class Patches extends Layer {
        private final Layer unfold;
        private final Layer linear;

        private Patches(ModelConfig c) {
            long patch = c.size("patch_size");
            unfold = child("unfold", new Unfold(patch));
            linear = child(
                    "linear", Layers.linear(c.size("num_channels", 3) * patch * patch, c.size("hidden_size"), false));
        }

        @Override
        protected String type() {
            return Llama4.CLASS + "UnfoldConvolution";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("hidden_states = self.unfold(hidden_states)");
            Value x = s.call(unfold, in[0]);
            s.line("hidden_states = hidden_states.permute(0, 2, 1)");
            x = s.op("aten.permute.default", "self", x, "dims", new long[] {0, 2, 1});
            s.line("hidden_states = self.linear(hidden_states)");
            return s.call(linear, x);
        }
    }

    /** {@code nn.Unfold}. */
    private static final class Unfold extends Layer {
        private final long[] square;

        private Unfold(long patch) {
            square = new long[] {patch, patch};
        }

        @Override
        protected String type() {
            return "torch.nn.modules.fold.Unfold";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            long[] one = {1, 1};
            long[] none = {0, 0};
            return s.op(
                    "aten.im2col.default",
                    "self",
                    in[0],
                    "kernel_size",
                    square,
                    "dilation",
                    one,
                    "padding",
                    none,
                    "stride",
                    square);
        }
    }

    /** {@code Llama4VisionRotaryEmbedding}. */
    private static final class Places extends Layer {
        private Places(long places, long numbers) {
            scratch("freqs_ci", DType.COMPLEX64, places, 1, numbers);
        }

        @Override
        protected String type() {
            return Llama4.CLASS + "VisionRotaryEmbedding";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("return self.freqs_ci.to(hidden_states.device)");
            return s.parameter("freqs_ci");
        }
    }

    /** {@code Llama4VisionEncoder}. */
    private static final class Stack extends Layer {
        private final List<Layer> layers = new ArrayList<>();

        private Stack(ModelConfig c, Request request) {
            ModuleList list = child("layers", new ModuleList());
            for (int i = 0; i < c.size("num_hidden_layers"); i++) {
                layers.add(list.add(new VisionLayer(c, request)));
            }
        }

        @Override
        protected String type() {
            return Llama4.CLASS + "VisionEncoder";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("hidden_states = encoder_layer(hidden_state=hidden_states, freqs_ci=freqs_ci)[0]");
            Value x = in[0];
            for (Layer layer : layers) {
                x = s.call(layer, x, in[1]);
            }
            return x;
        }
    }

    /** {@code Llama4VisionPixelShuffleMLP}: squares of patches side by side, and a feed-forward part. */
    private static final class Adapter extends Layer {
        private final long width;
        private final long side;
        private final long square;
        private final double dropout;
        private final Layer feedForward;

        private Adapter(ModelConfig c, long side) {
            this.side = side;
            width = c.size("hidden_size");
            double ratio = c.number("pixel_shuffle_ratio", 0.5);
            square = Math.round(1 / ratio);
            dropout = c.number("projector_dropout", 0);
            if (side % square != 0 || ratio * square != 1) {
                throw new UserInputException(c.source() + ": \"pixel_shuffle_ratio\" is " + ratio + ", which cuts "
                        + side + " patches a side into no squares");
            }
            feedForward = child("mlp", new Twice(c, dropout));
        }

        @Override
        protected String type() {
            return Llama4.CLASS + "VisionPixelShuffleMLP";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("encoded_patches = pixel_shuffle(encoded_patches, self.pixel_shuffle_ratio)");
            Value x = s.function("pixel_shuffle", () -> shuffled(s, in[0]));
            s.line("return self.mlp(encoded_patches)");
            return s.call(feedForward, x);
        }

        private Value shuffled(Scope s, Value in) {
            s.line("input_tensor = input_tensor.view(batch_size, patch_size, patch_size, -1)");
            Value x = view(s, in, side, side, width);
            s.line("reshaped_tensor = input_tensor.view(batch_size, height, width * ratio, channels / ratio)");
            x = view(s, x, side, side / square, width * square);
            s.line("reshaped_tensor = reshaped_tensor.permute(0, 2, 1, 3).contiguous()");
            x = turned(s, x);
            s.line("reshaped_tensor = reshaped_tensor.view(batch_size, height * ratio, width * ratio, channels)");
            x = view(s, x, side / square, side / square, width * square * square);
            s.line("reshaped_tensor = reshaped_tensor.permute(0, 2, 1, 3).contiguous()");
            x = turned(s, x);
            s.line("output_tensor = reshaped_tensor.view(batch_size, -1, reshaped_tensor.shape[-1])");
            SymExpr[] rows = {Request.BATCH, SymExpr.of(-1), SymExpr.of(width * square * square)};
            return s.op("aten.view.default", "self", x, "size", rows);
        }

        private static Value view(Scope s, Value x, long rows, long columns, long features) {
            SymExpr[] sizes = {Request.BATCH, SymExpr.of(rows), SymExpr.of(columns), SymExpr.of(features)};
            return s.op("aten.view.default", "self", x, "size", sizes);
        }

        private static Value turned(Scope s, Value x) {
            Value columns = s.op("aten.permute.default", "self", x, "dims", new long[] {0, 2, 1, 3});
            return s.op("aten.contiguous.default", "self", columns);
        }
    }

    /** {@code Llama4VisionMLP2}, whose activation is applied twice. */
    private static final class Twice extends Layer {
        private final double dropout;
        private final Layer first;
        private final Layer second;
        private final Layer activation;

        private Twice(ModelConfig c, double dropout) {
            this.dropout = dropout;
            long out = c.size("projector_output_dim");
            first = child("fc1", Layers.linear(c.size("intermediate_size"), c.size("projector_input_dim"), false));
            second = child("fc2", Layers.linear(out, out, false));
            activation = child("activation_fn", Layers.gelu());
        }

        @Override
        protected String type() {
            return Llama4.CLASS + "VisionMLP2";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("hidden_states = self.fc1(hidden_states)");
            Value x = s.call(first, in[0]);
            s.line("hidden_states = self.activation_fn(hidden_states)");
            x = s.call(activation, x);
            s.line("hidden_states = F.dropout(hidden_states, p=self.dropout, training=self.training)");
            x = s.op("aten.dropout.default", "input", x, "p", dropout, "train", s.training());
            s.line("return self.activation_fn(self.fc2(hidden_states))");
            return s.call(activation, s.call(second, x));
        }
    }
}
