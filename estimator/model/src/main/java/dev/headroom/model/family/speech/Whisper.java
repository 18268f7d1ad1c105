package dev.headroom.model.family.speech;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.Losses;
import dev.headroom.model.family.head.Tasks;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.family.seq2seq.ShiftedLabels;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.quant.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whisper in training: half a minute of sound, and the text that is said (models/whisper/modeling_whisper.py). */
public final class Whisper extends SeveralResults {
    private static final String CLASS = WhisperShape.CLASS;
    private static final long FRAMES = 1500;
    private static final long TOKENS = 448;

    private final WhisperShape shape;
    private final long vocabulary;
    private final Layer model;
    private final Layer head;

    private Whisper(Request request) {
        shape = WhisperShape.of(request);
        ModelConfig c = request.config();
        if (Tasks.of(request) != ModelOptions.Task.AUTO || !request.labelled()) {
            throw new UserInputException(c.source() + ": of Whisper, Headroom writes the training of"
                    + " WhisperForConditionalGeneration with the model's own loss; export the model for all else"
                    + " (headroom export-help)");
        }
        if (request.options().mask() != ModelOptions.Mask.NONE
                || request.options().packing()) {
            throw new UserInputException(
                    c.source() + ": Whisper is given sound, which has no tokens to mask or to pack;"
                            + " leave out `mask` and `packing`");
        }
        long longest = c.size("max_target_positions", TOKENS);
        if (request.seq() > longest) {
            throw new UserInputException(
                    "`seq=" + request.seq() + "` is more than the " + longest + " tokens that a text can have");
        }
        vocabulary = c.size("vocab_size", 51_865);
        Layer words = Layers.embedding(vocabulary, shape.width());
        model = child("model", new Model(shape, words));
        head = child("proj_out", Layers.linear(shape.width(), vocabulary, false));
        head.tie("weight", words, "weight");
    }

    /** The model that a config describes. */
    public static Layer of(Request request) {
        return new Whisper(request);
    }

    /** Mel bins and frames of a spectrogram. */
    public static long[] sound(ModelConfig c) {
        return new long[] {c.size("num_mel_bins", 80), 2 * c.size("max_source_positions", FRAMES)};
    }

    @Override
    protected String type() {
        return CLASS + "ForConditionalGeneration";
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("decoder_input_ids = shift_tokens_right(labels, pad_token_id, decoder_start_token_id)");
        Value shifted = s.function("shift_tokens_right", () -> ShiftedLabels.write(s));
        s.line("outputs = self.model(input_features, decoder_input_ids)");
        Value[] made = s.results(model, in[0], shifted);
        s.line("lm_logits = self.proj_out(outputs.last_hidden_state)");
        Value logits = s.call(head, made[0]);
        Value loss = Losses.loss(s, logits, vocabulary);
        List<Value> out = new ArrayList<>(List.of(loss, logits));
        out.addAll(s.cached(shape.pass().cached()));
        out.add(made[1]);
        s.use(made[0], shifted);
        return out.toArray(Value[]::new);
    }

    /** {@code WhisperModel}. */
    private static final class Model extends SeveralResults {
        private final Layer encoder;
        private final Layer decoder;

        private Model(WhisperShape shape, Layer words) {
            encoder = child("encoder", new Encoder(shape));
            decoder = child("decoder", new Decoder(shape, words));
        }

        @Override
        protected String type() {
            return CLASS + "Model";
        }

        /** What the decoder made, and what the encoder made. */
        @Override
        protected Value[] results(Scope s, Value... in) {
            s.line("encoder_outputs = self.encoder(input_features)");
            Value encoded = s.call(encoder, in[0]);
            s.line("decoder_outputs = self.decoder(decoder_input_ids, encoder_hidden_states)");
            return new Value[] {s.call(decoder, in[1], encoded), encoded};
        }
    }

    private static List<Layer> layers(WhisperShape shape, ModuleList list, boolean decodes) {
        List<Layer> layers = new ArrayList<>();
        for (int i = 0; i < shape.config().size((decodes ? "decoder" : "encoder") + "_layers", 4); i++) {
            layers.add(list.add(new WhisperLayer(shape, decodes)));
        }
        return layers;
    }

    /** {@code WhisperEncoder}. */
    private static final class Encoder extends Layer {
        private final WhisperShape shape;
        private final Layer first;
        private final Layer second;
        private final Layer places;
        private final List<Layer> layers;
        private final Layer norm;

        private Encoder(WhisperShape shape) {
            this.shape = shape;
            long[] sound = sound(shape.config());
            first = child("conv1", new Convolution(sound[0], shape.width(), 1));
            second = child("conv2", new Convolution(shape.width(), shape.width(), 2));
            Layer table = Layers.embedding(sound[1] / 2, shape.width());
            // from_pretrained with a device map makes new parameters, all of them trained
            boolean loaded = shape.request().scenario().quant().loads(null) == Load.DEVICE_MAP;
            places = child("embed_positions", loaded ? table : table.freeze());
            layers = layers(shape, child("layers", new ModuleList()), false);
            norm = child("layer_norm", Layers.layerNorm(shape.width()));
        }

        @Override
        protected String type() {
            return CLASS + "Encoder";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("inputs_embeds = nn.functional.gelu(self.conv1(input_features))");
            Value x = s.op("aten.gelu.default", "self", s.call(first, in[0]));
            s.line("inputs_embeds = nn.functional.gelu(self.conv2(inputs_embeds))");
            x = s.op("aten.gelu.default", "self", s.call(second, x));
            s.line("inputs_embeds = inputs_embeds.permute(0, 2, 1)");
            Value embedded = s.op("aten.permute.default", "self", x, "dims", new long[] {0, 2, 1});
            s.line("all_positions = torch.arange(self.embed_positions.num_embeddings)");
            Value all = s.op("aten.arange.default", "end", sound(shape.config())[1] / 2);
            s.line("hidden_states = inputs_embeds + self.embed_positions(all_positions)");
            x = s.op("aten.add.Tensor", "self", embedded, "other", s.call(places, all));
            s.line("hidden_states = nn.functional.dropout(hidden_states, p=self.dropout, training=self.training)");
            x = s.op("aten.dropout.default", "input", x, "p", shape.dropout(), "train", s.training());
            s.line("hidden_states = encoder_layer(hidden_states)");
            for (Layer layer : layers) {
                x = s.call(layer, x);
            }
            s.line("hidden_states = self.layer_norm(hidden_states)");
            Value out = s.call(norm, x);
            s.use(embedded);
            s.use(all);
            return out;
        }
    }

    /** {@code nn.Conv1d} with a kernel of 3. */
    private static final class Convolution extends Layer {
        private final long stride;

        private Convolution(long in, long out, long stride) {
            this.stride = stride;
            parameter("weight", out, in, 3);
            parameter("bias", out);
        }

        @Override
        protected String type() {
            return "torch.nn.modules.conv.Conv1d";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            return s.op(
                    "aten.conv1d.default",
                    "input",
                    in[0],
                    "weight",
                    s.parameter("weight"),
                    "bias",
                    s.parameter("bias"),
                    "stride",
                    new long[] {stride},
                    "padding",
                    new long[] {1});
        }
    }

    /** {@code WhisperDecoder}. */
    private static final class Decoder extends Layer {
        private final WhisperShape shape;
        private final Layer words;
        private final Layer places;
        private final List<Layer> layers;
        private final Layer norm;

        private Decoder(WhisperShape shape, Layer words) {
            this.shape = shape;
            this.words = child("embed_tokens", words);
            long longest = shape.config().size("max_target_positions", TOKENS);
            places = child("embed_positions", new Places(longest, shape.width()));
            layers = layers(shape, child("layers", new ModuleList()), true);
            norm = child("layer_norm", Layers.layerNorm(shape.width()));
        }

        @Override
        protected String type() {
            return CLASS + "Decoder";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("inputs_embeds = self.embed_tokens(input_ids)");
            Value embedded = s.call(words, in[0]);
            s.line("position_ids = torch.arange(inputs_embeds.shape[1]) + past_key_values_length");
            Value counted = s.op("aten.arange.default", "end", Request.SEQ);
            Value ids = s.op("aten.add.Tensor", "self", counted, "other", 0);
            s.line("position_ids = position_ids.unsqueeze(0).repeat(inputs_embeds.shape[0], 1)");
            ids = s.op("aten.unsqueeze.default", "self", ids, "dim", 0);
            SymExpr[] rows = {Request.BATCH, SymExpr.of(1)};
            ids = s.op("aten.repeat.default", "self", ids, "repeats", rows);
            s.line("positions = self.embed_positions(input_ids, position_ids=position_ids)");
            Value at = s.call(places, ids);
            s.line("hidden_states = inputs_embeds + positions");
            Value x = s.op("aten.add.Tensor", "self", embedded, "other", at);
            s.line("hidden_states = nn.functional.dropout(hidden_states, p=self.dropout, training=self.training)");
            x = s.op("aten.dropout.default", "input", x, "p", shape.dropout(), "train", s.training());
            Optional<Value> mask = Masks.causal(s, shape.request(), embedded, ids, Masks.NO_WINDOW);
            Value start = x;
            Value[] given = mask.map(m -> new Value[] {start, in[1], m}).orElse(new Value[] {start, in[1]});
            s.line("hidden_states = decoder_layer(hidden_states, causal_mask, encoder_hidden_states)");
            for (Layer layer : layers) {
                given = WhisperLayer.next(given, s.call(layer, given));
            }
            s.line("hidden_states = self.layer_norm(hidden_states)");
            Value out = s.call(norm, given[0]);
            s.use(embedded, ids, at);
            return out;
        }
    }

    /** {@code WhisperPositionalEmbedding}: rows of its weight. */
    private static final class Places extends Layer {
        private Places(long rows, long width) {
            parameter("weight", rows, width);
        }

        @Override
        protected String type() {
            return CLASS + "PositionalEmbedding";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            return s.op("aten.index.Tensor", "self", s.parameter("weight"), "indices", new Value[] {in[0]});
        }
    }
}
