package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ConfigDefaults;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.CausalLanguageModel;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.NamedSequence;
import dev.headroom.model.graph.Argument;
import java.util.Arrays;
import java.util.function.Function;

/**
 * LLaVA: a vision tower, a projector, and a language model whose embeddings of image tokens are replaced (transformers,
 * models/llava/modeling_llava.py).
 */
public final class Llava {
    private static final String CLASS = "transformers.models.llava.modeling_llava.Llava";

    private Llava() {}

    /**
     * The model that a config describes.
     *
     * @param text writes the language model of a request
     */
    public static Layer of(Request request, Function<Request, Layer> text) {
        ModelConfig c = request.config();
        ModelConfig vision = ConfigDefaults.of(c.section("vision_config"), "clip_vision_model");
        if (!vision.text("model_type", "clip_vision_model").equals("clip_vision_model")) {
            throw new UserInputException(vision.source() + ": Headroom has no vision tower of model_type "
                    + vision.modelType() + "; export the model instead (headroom export-help)");
        }
        Request inner = ImageTokens.inner(request, c.section("text_config"));
        CausalLanguageModel language = ImageTokens.language(inner, text, "LLaVA");
        Decoder decoder = (Decoder) language.decoder();
        return language.within(CLASS + "ForConditionalGeneration", new Whole(c, vision, decoder, request));
    }

    /** {@code LlavaModel}. */
    private static final class Whole extends SeveralResults {
        private final ModelConfig config;
        private final Layer tower;
        private final Layer projector;
        private final Decoder language;

        private Whole(ModelConfig config, ModelConfig vision, Decoder language, Request request) {
            this.config = config;
            tower = child("vision_tower", new ClipVision(vision, request));
            projector = child("multi_modal_projector", projector(config, vision));
            this.language = child("language_model", language);
        }

        @Override
        protected String type() {
            return CLASS + "Model";
        }

        /** The last hidden states, and the image's features as the language model gets them. */
        @Override
        protected Value[] results(Scope s, Value... in) {
            s.line("inputs_embeds = self.get_input_embeddings()(input_ids)");
            Value embedded = s.call(language.embeddings(), in[0]);
            s.line("image_features = self.get_image_features(pixel_values).pooler_output");
            Value[] images = s.function("get_image_features", () -> features(s));
            s.line("image_features = torch.cat(image_features, dim=0).to(inputs_embeds.dtype)");
            Value rows = s.op("transformers.joined_rows.default", "self", images[0]);
            Argument like = new Argument.TypeOf(embedded.name());
            Value features = s.op("aten.to.dtype", "self", rows, "dtype", like);
            Value x = ImageTokens.placed(s, in[0], embedded, features);
            s.line("outputs = self.language_model(inputs_embeds)");
            return new Value[] {s.call(language, x), features};
        }

        private Value[] features(Scope s) {
            s.line("image_outputs = self.vision_tower(pixel_values, output_hidden_states=True)");
            Value[] hidden = s.results(tower, s.given("pixel_values"));
            Object layer = config.entries().get("vision_feature_layer");
            int chosen = layer instanceof Long n ? n.intValue() : -2;
            int states = hidden.length - 1;
            if (chosen < -states || chosen >= states) {
                throw new UserInputException(config.source() + ": \"vision_feature_layer\" is " + chosen
                        + ", but the vision tower has hidden states 0 to " + (states - 1));
            }
            Value selected = hidden[chosen < 0 ? states + chosen : chosen];
            if (config.text("vision_feature_select_strategy", "default").equals("default")) {
                s.line("selected = selected[:, 1:]");
                selected = s.op("aten.slice.Tensor", "self", selected, "dim", 1, "start", 1, "end", Long.MAX_VALUE);
            }
            s.line("image_features = self.multi_modal_projector(selected)");
            Value projected = s.call(projector, selected);
            s.use(Arrays.copyOf(hidden, hidden.length)); // image_outputs
            return new Value[] {projected};
        }
    }

    private static Layer projector(ModelConfig c, ModelConfig vision) {
        long width = ConfigDefaults.of(c.section("text_config"), "llama").size("hidden_size");
        boolean bias = c.flag("multimodal_projector_bias", true);
        return new NamedSequence(CLASS + "MultiModalProjector", "linear_1", "act", "linear_2")
                .with("linear_1", Layers.linear(vision.size("hidden_size"), width, bias))
                .with("act", Activations.of(c, "projector_hidden_act", "gelu"))
                .with("linear_2", Layers.linear(width, width, bias));
    }
}
