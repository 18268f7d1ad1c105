package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ConfigDefaults;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.CausalLanguageModel;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.Scores;
import dev.headroom.model.family.part.NamedSequence;
import dev.headroom.model.graph.Argument;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * PaliGemma and PaliGemma 2: a SigLIP tower, a linear projector, and Gemma or Gemma 2, in which the tokens of an image
 * and of the question see each other (transformers, models/paligemma/modeling_paligemma.py).
 */
public final class PaliGemma {
    private static final String CLASS = "transformers.models.paligemma.modeling_paligemma.PaliGemma";
    private static final long IMAGE = 256_000;

    private PaliGemma() {}

    /**
     * The model that a config describes.
     *
     * @param text writes the language model of a request
     */
    public static Layer of(Request request, Function<Request, Layer> text) {
        ModelConfig c = request.config();
        ModelConfig vision = ConfigDefaults.of(c.section("vision_config"), "siglip_vision_model");
        ModelConfig words = c.section("text_config");
        Request inner = ImageTokens.inner(request, words.with("model_type", words.text("model_type", "gemma")));
        CausalLanguageModel language = ImageTokens.language(inner, text, "PaliGemma");
        ImageTokens.check(c, inner.config(), IMAGE);
        Decoder decoder = (Decoder) language.decoder();
        return language.within(
                CLASS + "ForConditionalGeneration", new Whole(vision, inner.config(), decoder, request), Scores.PLAIN);
    }

    /** {@code PaliGemmaModel}. */
    private static final class Whole extends SeveralResults {
        private final Request request;
        private final Layer tower;
        private final Layer projector;
        private final Decoder language;

        private Whole(ModelConfig vision, ModelConfig text, Decoder language, Request request) {
            this.request = request;
            tower = child("vision_tower", new SiglipVision(vision, request));
            long width = vision.size("projection_dim", text.size("hidden_size"));
            projector = child(
                    "multi_modal_projector",
                    new NamedSequence(CLASS + "MultiModalProjector", "linear")
                            .with("linear", Layers.linear(vision.size("hidden_size"), width)));
            this.language = child("language_model", language);
        }

        @Override
        protected String type() {
            return CLASS + "Model";
        }

        /** The last hidden states, and the image's features as the language model gets them. */
        @Override
        protected Value[] results(Scope s, Value... in) {
            s.line("inputs_embeds = self.get_input_embeddings()(llm_input_ids)");
            Value embedded = s.call(language.embeddings(), in[0]);
            s.line("position_ids = torch.arange(inputs_embeds.shape[1]) + past_seen_tokens");
            Value counted = s.op("aten.arange.default", "end", Request.SEQ);
            Value moved = s.op("aten.add.Tensor", "self", counted, "other", 0);
            s.line("position_ids = position_ids.unsqueeze(0) + 1");
            Value row = s.op("aten.unsqueeze.default", "self", moved, "dim", 0);
            Value positions = s.op("aten.add.Tensor", "self", row, "other", 1);
            s.let("position_ids", positions);
            s.line("image_features = self.get_image_features(pixel_values).pooler_output");
            Value made = s.function("get_image_features", () -> features(s));
            s.line("image_features = image_features.to(inputs_embeds.device, inputs_embeds.dtype)");
            Argument like = new Argument.TypeOf(embedded.name());
            Value features = s.op("aten.to.dtype", "self", made, "dtype", like);
            Value x = ImageTokens.placed(s, in[0], embedded, features);
            s.line("mask_kwargs['block_sequence_ids'] = torch.where(token_type_ids == 0, 0, -1)");
            Value question = s.op("aten.eq.Scalar", "self", new Value("token_type_ids"), "other", 0);
            Value blocks = s.op("aten.where.Scalar", "condition", question, "self", 0, "other", -1);
            List<Value> masks = masks(s, x, positions, blocks);
            s.line("outputs = self.language_model(inputs_embeds)");
            Value[] out = {s.call(language, x), features};
            masks.forEach(s::use);
            s.use(blocks, positions);
            return out;
        }

        private Value features(Scope s) {
            s.line("image_outputs = self.vision_tower(pixel_values)");
            Value last = s.call(tower, s.given("pixel_values"));
            s.line("image_features = self.multi_modal_projector(selected_image_feature)");
            Value out = s.call(projector, last);
            s.use(last);
            return out;
        }

        private List<Value> masks(Scope s, Value embedded, Value positions, Value blocks) {
            Request plain = new Request(
                    request.config(),
                    request.scenario().withModel(request.options().withUseCache(false)));
            List<Value> made = new ArrayList<>();
            for (Map.Entry<String, Long> kind : language.windows().entrySet()) {
                Value mask = Masks.blockwise(s, plain, embedded, positions, blocks, kind.getValue(), false);
                language.prepare(kind.getKey(), mask);
                made.add(mask);
            }
            return made;
        }
    }
}
