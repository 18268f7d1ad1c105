package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ConfigDefaults;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.CausalLanguageModel;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.Tasks;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.family.options.ModelOptions.Task;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.SymExpr;
import java.util.Arrays;
import java.util.Map;

/**
 * Qwen 2-VL, 2.5-VL and 3-VL: a tower that sees images of any size, and Qwen 2 or 3, whose tokens have positions in
 * time, height and width (transformers, models/qwen2_vl/modeling_qwen2_vl.py, models/qwen2_5_vl/modeling_qwen2_5_vl.py,
 * models/qwen3_vl/modeling_qwen3_vl.py). Each sequence is a token of text, an image and more text.
 */
public final class QwenVl {
    /** Tokens before an image. */
    private static final long BEFORE = 1;

    private static final long PADDED_PART = 4;

    private QwenVl() {}

    /** Qwen 2-VL. */
    public static Layer two(Request request) {
        return of(request, QwenKind.TWO, "qwen2_vl");
    }

    /** Qwen 2.5-VL. */
    public static Layer twoAndAHalf(Request request) {
        return of(request, QwenKind.TWO_AND_A_HALF, "qwen2_5_vl");
    }

    /** Qwen 3-VL. */
    public static Layer three(Request request) {
        return of(request, QwenKind.THREE, "qwen3_vl");
    }

    /** Qwen 3-VL's mixtures of experts. */
    public static Layer mixture(Request request) {
        return of(request, QwenKind.THREE_OF_EXPERTS, "qwen3_vl_moe");
    }

    /** The config of its vision tower, with all entries. */
    public static ModelConfig vision(ModelConfig c) {
        String type = c.modelType() + "_vision";
        return ConfigDefaults.of(c.section("vision_config").with("model_type", type), type);
    }

    /** Patches of a batch's images. */
    public static SymExpr patches(Request request) {
        long each = ImageGrid.of(request, vision(request.config())).patches();
        return SymExpr.call("Mul", Request.BATCH, SymExpr.of(each));
    }

    private static Layer of(Request request, QwenKind kind, String type) {
        ModelConfig c = request.config();
        if (Tasks.of(request) != Task.AUTO) {
            throw new UserInputException(c.source() + ": of " + type + ", Headroom writes the model that writes text;"
                    + " leave `task` out, or export the model (headroom export-help)");
        }
        if (request.options().packing() || request.scenario().kernels().compile()) {
            String asked = request.options().packing() ? "`packing`" : "`compile`";
            throw new UserInputException(
                    c.source() + ": " + asked + " is not modelled for images of any size; leave it" + " out");
        }
        ModelConfig words = c.has("text_config") ? c.section("text_config") : c.with("architectures", null);
        Request inner = ImageTokens.inner(
                request,
                words.with("model_type", type + "_text")
                        .with("tie_word_embeddings", c.flag("tie_word_embeddings", false)));
        CausalLanguageModel language = ImageTokens.language(inner, r -> kind.language(r), type);
        ImageGrid grid = ImageGrid.of(request, vision(c));
        long padded = request.options().mask() == ModelOptions.Mask.PADDED ? padding(request) : 0;
        if (grid.tokens() + BEFORE > request.seq() - padded) {
            throw new UserInputException("`seq=" + request.seq() + "` is too short for an image of " + grid.tokens()
                    + " tokens; pass a longer `seq` or a smaller `image_size`");
        }
        Decoder decoder = (Decoder) language.decoder();
        QwenTower tower = new QwenTower(kind, vision(c), grid, request);
        return language.within(
                kind.prefix() + "ForConditionalGeneration", new Whole(kind, tower, decoder, grid, request));
    }

    /** Tokens of padding that end the first sequence. */
    private static long padding(Request request) {
        return Math.max(1, request.seq() / PADDED_PART);
    }

    /** {@code Qwen2VLModel}. */
    private static final class Whole extends SeveralResults {
        private final QwenKind kind;
        private final Layer tower;
        private final Decoder language;
        private final ImageGrid grid;
        private final Request request;

        private Whole(QwenKind kind, Layer tower, Decoder language, ImageGrid grid, Request request) {
            this.kind = kind;
            this.grid = grid;
            this.request = request;
            this.tower = child("visual", tower);
            this.language = child("language_model", language);
        }

        @Override
        protected String type() {
            return kind.prefix() + "Model";
        }

        /** The last hidden states, and how far positions are behind tokens. */
        @Override
        protected Value[] results(Scope s, Value... in) {
            s.line("inputs_embeds = self.get_input_embeddings()(input_ids)");
            Value embedded = s.call(language.embeddings(), in[0]);
            s.line("image_embeds = self.get_image_features(pixel_values, image_grid_thw).pooler_output");
            Value[] made = s.function("get_image_features", () -> features(s));
            Value listed = made[kind.deep() ? 1 : 0];
            s.line("image_embeds = torch.cat(image_embeds, dim=0).to(inputs_embeds.device, inputs_embeds.dtype)");
            Value rows = s.op("transformers.joined_list.default", "list", listed, "dim", 0);
            Argument like = new Argument.TypeOf(embedded.name());
            Value features = s.op("aten.to.dtype", "self", rows, "dtype", like);
            s.line("image_mask, _ = self.get_placeholder_mask(input_ids, inputs_embeds, image_embeds)");
            Value[] masks = s.function("get_placeholder_mask", () -> masks(s, in[0]));
            s.line("inputs_embeds = inputs_embeds.masked_scatter(image_mask, image_embeds)");
            Value x = s.op("aten.masked_scatter.default", "self", embedded, "mask", masks[0], "source", features);
            s.let("inputs_embeds", x);
            if (kind.deep()) {
                Value[] deep = Arrays.copyOfRange(made, 2, made.length);
                s.line("image_mask = image_mask[..., 0]");
                Value seen = s.op("aten.select.int", "self", masks[0], "dim", -1, "index", 0);
                language.between((scope, layer, states) -> {
                    scope.line("x = self._deepstack_process(x, visual_pos_masks, deepstack_visual_embeds[layer_idx])");
                    return layer < deep.length ? deepened(scope, states, seen, deep[layer]) : states;
                });
            }
            s.line("position_ids = self.compute_3d_position_ids(input_ids, image_grid_thw)");
            Value[] positions = positions(s, in[0]);
            s.let("position_ids", positions[0]);
            s.line("outputs = self.language_model(inputs_embeds, position_ids)");
            Value out = s.call(language, x);
            s.use(positions[0], x, features, masks[0], masks[1]);
            if (kind.deep()) {
                s.use(made);
            }
            return new Value[] {out, positions[1]};
        }

        /** {@code get_rope_index}. */
        private Value[] positions(Scope s, Value ids) {
            Map<String, Object> call = Scope.arguments(
                    "input_ids",
                    ids,
                    "kinds",
                    s.given("mm_token_type_ids"),
                    "before",
                    BEFORE,
                    "rows",
                    grid.rows() / grid.merge(),
                    "columns",
                    grid.columns() / grid.merge());
            if (request.options().mask() != ModelOptions.Mask.NONE) {
                call.put("mask", s.given("attention_mask"));
                call.put("padding", request.options().mask() == ModelOptions.Mask.PADDED ? padding(request) : 0);
            }
            return s.ops("transformers.rope_index.default", 2, call);
        }

        /** {@code _deepstack_process}: what the tower saw in a layer, added to the states of an image's tokens. */
        private Value deepened(Scope s, Value states, Value mask, Value seen) {
            return s.function("_deepstack_process", () -> {
                s.line("visual_embeds = visual_embeds.to(hidden_states.device, hidden_states.dtype)");
                Value same = s.op("aten.to.dtype", "self", seen, "dtype", new Argument.TypeOf(states.name()));
                s.line("hidden_states = hidden_states.clone()");
                Value x = s.op("aten.clone.default", "self", states);
                s.line("local_this = hidden_states[visual_pos_masks, :] + visual_embeds");
                Value there = s.op("aten.index.Tensor", "self", x, "indices", places(s, mask));
                Value sum = s.op("aten.add.Tensor", "self", there, "other", same);
                s.line("hidden_states[visual_pos_masks, :] = local_this");
                return s.op("aten.index_put_.default", "self", x, "indices", places(s, mask), "values", sum);
            });
        }

        /** What PyTorch makes of a mask that stands for an index. */
        private Value[] places(Scope s, Value mask) {
            Value all = s.op("aten.nonzero.default", "self", mask, "count", grid.allTokens());
            return s.ops("aten.unbind.int", 2, Scope.arguments("self", all, "dim", 1));
        }

        private Value[] features(Scope s) {
            s.line("pixel_values = pixel_values.type(self.visual.dtype)");
            Value pixels = s.op("aten.to.dtype", "self", s.given("pixel_values"), "dtype", request.type());
            s.line("vision_outputs = self.visual(pixel_values, grid_thw=image_grid_thw)");
            Value[] seen = s.results(tower, pixels, s.given("image_grid_thw"));
            s.line("split_sizes = (image_grid_thw.prod(-1) // self.visual.spatial_merge_size**2).tolist()");
            Value counts = s.op("aten.prod.dim_int", "self", s.given("image_grid_thw"), "dim", -1);
            s.op("aten.floor_divide.default", "self", counts, "other", grid.merge() * grid.merge());
            s.line("image_embeds = torch.split(vision_outputs.pooler_output, split_sizes)");
            Value parts = s.op("transformers.split_rows.default", "self", seen[1], "rows", grid.tokens());
            if (!kind.deep()) {
                s.use(seen[0]);
                return new Value[] {parts};
            }
            Value[] outputs = seen.clone(); // image_outputs, whose tokens are the parts from now on
            outputs[1] = parts;
            return outputs;
        }

        /** {@code get_placeholder_mask}: where images are, where videos are. */
        private static Value[] masks(Scope s, Value ids) {
            s.line("special_image_mask = input_ids == self.config.image_token_id");
            Value images = s.op("aten.eq.Scalar", "self", ids, "other", 0);
            s.line("special_video_mask = input_ids == self.config.video_token_id");
            Value videos = s.op("aten.eq.Scalar", "self", ids, "other", 0);
            s.line("n_image_tokens = special_image_mask.sum()");
            Value count = s.op("aten.sum.default", "self", images);
            s.line("special_image_mask = special_image_mask.unsqueeze(-1).to(inputs_embeds.device)");
            Value imageColumn = s.op("aten.unsqueeze.default", "self", images, "dim", -1);
            s.line("torch_compilable_check(n_image_tokens * inputs_embeds.shape[-1] == image_features.numel())");
            Value elements = s.op("aten.mul.Tensor", "self", count, "other", 1);
            s.op("aten.eq.Scalar", "self", elements, "other", 1);
            s.line("n_video_tokens = special_video_mask.sum()");
            Value videoCount = s.op("aten.sum.default", "self", videos);
            s.line("special_video_mask = special_video_mask.unsqueeze(-1).to(inputs_embeds.device)");
            Value videoColumn = s.op("aten.unsqueeze.default", "self", videos, "dim", -1);
            s.use(count, videoCount);
            return new Value[] {imageColumn, videoColumn};
        }
    }
}
