package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ConfigDefaults;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.Tasks;
import dev.headroom.model.family.options.ModelOptions.Task;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * CLIP: images and texts as vectors, and the loss that brings those of a pair together (transformers,
 * models/clip/modeling_clip.py, CLIPModel with {@code return_loss=True}).
 */
public final class Clip extends SeveralResults {
    private static final String CLASS = ClipLayer.CLASS;
    private static final long OLD_END = 2;

    private final Request request;
    private final Layer text;
    private final Layer vision;
    private final Layer imageProjection;
    private final Layer textProjection;

    private Clip(Request request) {
        this.request = request;
        ModelConfig c = request.config();
        ModelConfig words = ConfigDefaults.of(c.section("text_config"), "clip_text_model");
        ModelConfig images = ConfigDefaults.of(c.section("vision_config"), "clip_vision_model");
        if (request.seq() > words.size("max_position_embeddings")) {
            throw new UserInputException("`seq=" + request.seq() + "` is more than the "
                    + words.size("max_position_embeddings") + " tokens that the model's texts can have");
        }
        long width = c.size("projection_dim", 512);
        text = child("text_model", new Text(words, request));
        vision = child("vision_model", new ClipVision(images, request));
        imageProjection = child("visual_projection", Layers.linear(images.size("hidden_size"), width, false));
        textProjection = child("text_projection", Layers.linear(words.size("hidden_size"), width, false));
        parameter("logit_scale");
    }

    /** The model that a config describes. */
    public static Layer of(Request request) {
        ModelConfig c = request.config();
        String made = c.architecture();
        if (Tasks.of(request) != Task.AUTO || !made.isEmpty() && !made.equals("CLIPModel")) {
            throw new UserInputException(c.source() + ": of CLIP, Headroom writes CLIPModel and its contrastive loss"
                    + " alone; leave `task` out, or export the model (headroom export-help)");
        }
        return new Clip(request);
    }

    @Override
    protected String type() {
        return CLASS + "Model";
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("vision_outputs = self.get_image_features(pixel_values)");
        Value[] seen = s.function("get_image_features", () -> {
            s.line("vision_outputs = self.vision_model(pixel_values)");
            Value[] states = s.results(vision, s.given("pixel_values"));
            s.line("pooler_output = self.visual_projection(pooled_output)");
            Value vector = s.call(imageProjection, states[states.length - 1]);
            s.use(states[states.length - 1]);
            return new Value[] {states[states.length - 2], vector};
        });
        s.line("text_outputs = self.get_text_features(input_ids, attention_mask)");
        Value[] read = s.function("get_text_features", () -> {
            s.line("text_outputs = self.text_model(input_ids, attention_mask)");
            Value[] states = s.results(text, in[0]);
            s.line("pooler_output = self.text_projection(pooled_output)");
            Value vector = s.call(textProjection, states[1]);
            s.use(states[1]);
            return new Value[] {states[0], vector};
        });
        s.line("image_embeds = image_embeds / _get_vector_norm(image_embeds)");
        Value image = s.op("aten.div.Tensor", "self", seen[1], "other", norm(s, seen[1]));
        s.line("text_embeds = text_embeds / _get_vector_norm(text_embeds)");
        Value words = s.op("aten.div.Tensor", "self", read[1], "other", norm(s, read[1]));
        s.line("logits_per_text = torch.matmul(text_embeds, image_embeds.t())");
        Value turned = s.op("aten.t.default", "self", image);
        Value logits = s.op("aten.matmul.default", "self", words, "other", turned);
        s.line("logits_per_text = logits_per_text * self.logit_scale.exp()");
        Value scale = s.op("aten.exp.default", "self", s.parameter("logit_scale"));
        logits = s.op("aten.mul.Tensor", "self", logits, "other", scale);
        List<Value> out = new ArrayList<>();
        if (request.labelled()) {
            out.add(loss(s, logits));
        }
        out.addAll(List.of(logits, words, image, read[0], read[1], seen[0], seen[1]));
        return out.toArray(Value[]::new);
    }

    /** {@code _get_vector_norm}. */
    private static Value norm(Scope s, Value x) {
        return s.function("_get_vector_norm", () -> {
            s.line("square_tensor = torch.pow(tensor, 2)");
            Value squares = s.op("aten.pow.Tensor_Scalar", "self", x, "exponent", 2);
            s.line("sum_tensor = torch.sum(square_tensor, dim=-1, keepdim=True)");
            Value sum = s.op("aten.sum.dim_IntList", "self", squares, "dim", new long[] {-1}, "keepdim", true);
            s.line("normed_tensor = torch.pow(sum_tensor, 0.5)");
            return s.op("aten.pow.Tensor_Scalar", "self", sum, "exponent", 0.5);
        });
    }

    /** {@code image_text_contrastive_loss}. */
    private static Value loss(Scope s, Value similarity) {
        s.line("loss = image_text_contrastive_loss(logits_per_text)");
        return s.function("image_text_contrastive_loss", () -> {
            s.line("caption_loss = contrastive_loss(similarity)");
            Value ofTexts = entropy(s, similarity);
            s.line("image_loss = contrastive_loss(similarity.T)");
            Value ofImages = entropy(s, s.op("aten.t.default", "self", similarity));
            s.line("return (caption_loss + image_loss) / 2.0");
            Value sum = s.op("aten.add.Tensor", "self", ofTexts, "other", ofImages);
            return s.op("aten.div.Tensor", "self", sum, "other", 2.0);
        });
    }

    private static Value entropy(Scope s, Value scores) {
        Value own = s.op("aten.arange.default", "end", Request.BATCH);
        return s.op("aten.cross_entropy_loss.default", "self", scores, "target", own);
    }

    /** {@code CLIPTextModel}. */
    private static final class Text extends SeveralResults {
        private final Request request;
        private final long end;
        private final Layer embeddings;
        private final ClipEncoder encoder;
        private final Layer norm;

        private Text(ModelConfig c, Request request) {
            this.request = request;
            end = c.count("eos_token_id", 49_407);
            embeddings = child("embeddings", new Embedded(c));
            encoder = child("encoder", new ClipEncoder(c, request, true));
            norm = child("final_layer_norm", Layers.layerNorm(c.size("hidden_size")));
        }

        @Override
        protected String type() {
            return CLASS + "TextModel";
        }

        /** The last hidden states, and that of the token that ends each text. */
        @Override
        protected Value[] results(Scope s, Value... in) {
            s.line("hidden_states = self.embeddings(input_ids)");
            Value x = s.call(embeddings, in[0]);
            Optional<Value> mask = Masks.causal(s, request, x, null, Masks.NO_WINDOW);
            s.line("encoder_outputs = self.encoder(hidden_states, attention_mask)");
            Value[] states =
                    s.results(encoder, mask.map(m -> new Value[] {x, m}).orElse(new Value[] {x}));
            s.line("last_hidden_state = self.final_layer_norm(last_hidden_state)");
            Value last = s.call(norm, states[states.length - 1]);
            s.line("pooled_output = last_hidden_state[torch.arange(batch), input_ids.to(torch.int).argmax(dim=-1)]");
            Value rows = s.op("aten.arange.default", "end", Request.BATCH);
            Value ids = s.op("aten.to.dtype", "self", in[0], "dtype", DType.INT32);
            if (end != OLD_END) {
                Value ends = s.op("aten.eq.Scalar", "self", ids, "other", end);
                ids = s.op("aten.to.dtype", "self", ends, "dtype", DType.INT32);
            }
            Value at = s.op("aten.argmax.default", "self", ids, "dim", -1);
            Value pooled = s.op("aten.index.Tensor", "self", last, "indices", new Value[] {rows, at});
            s.use(x);
            s.use(states[states.length - 1]); // encoder_outputs
            mask.ifPresent(s::use);
            return new Value[] {last, pooled};
        }
    }

    /** {@code CLIPTextEmbeddings}. */
    private static final class Embedded extends Layer {
        private final Layer words;
        private final Layer places;

        private Embedded(ModelConfig c) {
            long width = c.size("hidden_size");
            long longest = c.size("max_position_embeddings");
            words = child("token_embedding", Layers.embedding(c.size("vocab_size"), width));
            places = child("position_embedding", Layers.embedding(longest, width));
            scratch("position_ids", DType.INT64, 1, longest);
        }

        @Override
        protected String type() {
            return CLASS + "TextEmbeddings";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("position_ids = self.position_ids[:, :seq_length]");
            SymExpr all = Request.SEQ;
            Value at = s.op("aten.slice.Tensor", "self", s.parameter("position_ids"), "dim", 1, "start", 0, "end", all);
            s.line("inputs_embeds = self.token_embedding(input_ids)");
            Value word = s.call(words, in[0]);
            s.line("position_embeddings = self.position_embedding(position_ids)");
            Value place = s.call(places, at);
            s.line("embeddings = inputs_embeds + position_embeddings");
            return s.op("aten.add.Tensor", "self", word, "other", place);
        }
    }
}
