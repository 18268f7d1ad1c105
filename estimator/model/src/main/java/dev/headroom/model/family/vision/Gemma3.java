package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ConfigDefaults;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.CausalLanguageModel;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.ShiftedRmsNorm;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gemma 3 with images: a SigLIP tower, a projector that pools its patches, and the text model, in which the tokens of
 * an image see each other (transformers, models/gemma3/modeling_gemma3.py).
 */
public final class Gemma3 {
    private static final String CLASS = "transformers.models.gemma3.modeling_gemma3.Gemma3";

    private Gemma3() {}

    /**
     * The model that a config describes.
     *
     * @param text writes the language model of a request
     */
    public static Layer of(Request request, Function<Request, Layer> text) {
        ModelConfig c = request.config();
        ModelConfig vision = ConfigDefaults.of(c.section("vision_config"), "siglip_vision_model");
        if (!vision.modelType().equals("siglip_vision_model")) {
            throw new UserInputException(vision.source() + ": Headroom has no vision tower of model_type "
                    + vision.modelType() + " for Gemma 3; export the model instead (headroom export-help)");
        }
        Request inner = ImageTokens.inner(request, c.section("text_config").with("model_type", "gemma3_text"));
        CausalLanguageModel language = ImageTokens.language(inner, text, "Gemma 3");
        Decoder decoder = (Decoder) language.decoder();
        return language.within(
                CLASS + "ForConditionalGeneration", new Whole(c, vision, inner.config(), decoder, request));
    }

    /** {@code Gemma3Model}. */
    private static final class Whole extends SeveralResults {
        private final Request request;
        private final Layer tower;
        private final Layer projector;
        private final Decoder language;

        private Whole(ModelConfig c, ModelConfig vision, ModelConfig text, Decoder language, Request request) {
            this.request = request;
            tower = child("vision_tower", new SiglipVision(vision, request));
            projector = child("multi_modal_projector", new Projector(c, vision, text.size("hidden_size")));
            this.language = child("language_model", language);
            ImageTokens.check(c, text, 262_144);
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
            Value made = s.function("get_image_features", () -> features(s));
            s.line("image_features = image_features.to(inputs_embeds.device, inputs_embeds.dtype)");
            Argument like = new Argument.TypeOf(embedded.name());
            Value features = s.op("aten.to.dtype", "self", made, "dtype", like);
            Value x = ImageTokens.placed(s, in[0], embedded, features);
            s.line("block_sequence_ids = get_block_sequence_ids_for_mask(token_type_ids)");
            Value blocks = s.function("get_block_sequence_ids", () -> blocks(s));
            s.line("causal_mask_mapping = create_masks_for_vision_model()");
            List<Value> masks = s.function("create_masks", () -> masks(s, x, blocks));
            s.line("outputs = self.language_model(inputs_embeds)");
            Value[] out = {s.call(language, x), features};
            masks.forEach(s::use);
            return out;
        }

        private Value features(Scope s) {
            s.line("vision_outputs = self.vision_tower(pixel_values)");
            Value last = s.call(tower, s.given("pixel_values"));
            s.line("pooler_output = self.multi_modal_projector(last_hidden_state)");
            Value out = s.call(projector, last);
            s.use(last);
            return out;
        }

        /** {@code get_block_sequence_ids_for_mask}. */
        private static Value blocks(Scope s) {
            s.line("is_image = (token_type_ids == 1).to(device=device)");
            Value image = s.op("aten.eq.Scalar", "self", new Value("token_type_ids"), "other", 1);
            s.line("is_previous_image = nn.functional.pad(is_image, (1, 0), value=0)[:, :-1]");
            Value padded = s.op("aten.constant_pad_nd.default", "self", image, "pad", new long[] {1, 0});
            Value before = s.op("aten.slice.Tensor", "self", padded, "dim", 1, "start", 0, "end", -1);
            s.line("new_image_start = is_image & ~is_previous_image");
            Value not = s.op("aten.bitwise_not.default", "self", before);
            Value starts = s.op("aten.__and__.Tensor", "self", image, "other", not);
            s.line("group_ids = torch.cumsum(new_image_start.int(), dim=1) - 1");
            Value numbers = s.op("aten.to.dtype", "self", starts, "dtype", DType.INT32);
            Value sums = s.op("aten.cumsum.default", "self", numbers, "dim", 1);
            Value groups = s.op("aten.sub.Tensor", "self", sums, "other", 1);
            s.line("block_sequence_ids = torch.where(is_image, group_ids, -1)");
            return s.op("aten.where.ScalarOther", "condition", image, "self", groups, "other", -1);
        }

        /** {@code create_masks_for_vision_model}. */
        private List<Value> masks(Scope s, Value embedded, Value blocks) {
            Request plain = new Request(
                    request.config(),
                    request.scenario().withModel(request.options().withUseCache(false)));
            @Nullable Value positions = request.options().packing() ? s.given("position_ids") : null;
            List<Value> made = new ArrayList<>();
            for (Map.Entry<String, Long> kind : language.windows().entrySet()) {
                boolean slides = kind.getKey().equals(AttentionShape.SLIDING);
                if (slides) {
                    Masks.preprocess(s, plain, embedded, positions);
                }
                Value mask = Masks.blockwise(s, plain, embedded, positions, blocks, kind.getValue(), slides);
                language.prepare(kind.getKey(), mask);
                made.add(mask);
            }
            return made;
        }
    }

    /** {@code Gemma3MultiModalProjector}. */
    private static final class Projector extends Layer {
        private final long width;
        private final long side;
        private final Layer norm;
        private final Layer pool;

        private Projector(ModelConfig c, ModelConfig vision, long textWidth) {
            width = vision.size("hidden_size");
            side = vision.size("image_size") / vision.size("patch_size");
            long kernel = side / (long) Math.sqrt((double) c.size("mm_tokens_per_image", 256));
            if (kernel < 1) {
                throw new UserInputException(c.source() + ": \"mm_tokens_per_image\" is "
                        + c.size("mm_tokens_per_image", 256) + ", more than an image's " + side * side + " patches");
            }
            parameter("mm_input_projection_weight", width, textWidth);
            norm = child(
                    "mm_soft_emb_norm",
                    new ShiftedRmsNorm(CLASS + "RMSNorm", width, vision.number("layer_norm_eps", 1e-6)));
            pool = child("avg_pool", Layers.avgPool2d(kernel, kernel, 0));
        }

        @Override
        protected String type() {
            return CLASS + "MultiModalProjector";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("reshaped = vision_outputs.transpose(1, 2)");
            Value x = s.op("aten.transpose.int", "self", in[0], "dim0", 1, "dim1", 2);
            s.line("reshaped = reshaped.reshape(batch_size, hidden_size, patches_per_image, patches_per_image)");
            SymExpr[] square = {Request.BATCH, SymExpr.of(width), SymExpr.of(side), SymExpr.of(side)};
            x = s.op("aten.reshape.default", "self", x, "shape", square);
            s.line("reshaped = reshaped.contiguous()");
            x = s.op("aten.contiguous.default", "self", x);
            s.line("pooled = self.avg_pool(reshaped)");
            x = s.call(pool, x);
            s.line("pooled = pooled.flatten(2)");
            x = s.op("aten.flatten.using_ints", "self", x, "start_dim", 2);
            s.line("pooled = pooled.transpose(1, 2)");
            x = s.op("aten.transpose.int", "self", x, "dim0", 1, "dim1", 2);
            s.line("normed = self.mm_soft_emb_norm(pooled)");
            x = s.call(norm, x);
            s.line("projected = torch.matmul(normed, self.mm_input_projection_weight)");
            x = s.op("aten.matmul.default", "self", x, "other", s.parameter("mm_input_projection_weight"));
            s.line("return projected.type_as(vision_outputs)");
            return s.op("aten.to.dtype", "self", x, "dtype", new Argument.TypeOf(in[0].name()));
        }
    }
}
