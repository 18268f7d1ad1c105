package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * {@code Qwen2VisionTransformerPretrainedModel} and its successor with windows: patches of images of any size, all in
 * one row (transformers, models/qwen2_vl/modeling_qwen2_vl.py, models/qwen2_5_vl/modeling_qwen2_5_vl.py).
 */
final class QwenTower extends SeveralResults {
    private final QwenKind kind;
    private final ImageGrid grid;
    private final long side;
    private final List<Layer> layers = new ArrayList<>();
    private final List<Boolean> windowed = new ArrayList<>();
    private final Layer patches;
    private final Layer rotary;
    private final Layer merger;

    /** Learned places of a square image, {@code null} where there are none. */
    private final @Nullable Layer places;

    /** By the layer whose states they take. */
    private final Map<Integer, Layer> deep = new LinkedHashMap<>();

    QwenTower(QwenKind kind, ModelConfig c, ImageGrid grid, Request request) {
        this.kind = kind;
        this.grid = grid;
        long width = c.size(kind.width());
        long heads = c.size("num_heads");
        long size = c.divided(kind.width(), width, "num_heads", heads);
        side = kind.windows() ? c.size("window_size") / grid.merge() / c.size("patch_size") : 0;
        patches = child("patch_embed", new Patches(kind, c, width));
        places = kind.deep() ? child("pos_embed", Layers.embedding(c.size("num_position_embeddings"), width)) : null;
        rotary = child("rotary_pos_emb", new Places(kind, size));
        ModuleList list = child("blocks", new ModuleList());
        List<String> whole = c.texts("fullatt_block_indexes");
        for (int i = 0; i < c.size("depth"); i++) {
            boolean windows = kind.windows() && !whole.contains(Integer.toString(i));
            long[] parts = windows ? grid.windows(side) : new long[] {grid.patches()};
            windowed.add(windows);
            layers.add(list.add(kind.block(c, request, width, heads, parts)));
        }
        merger = child("merger", kind.merger(c, width));
        if (kind.deep()) {
            ModuleList mergers = child("deepstack_merger_list", new ModuleList());
            List<String> between = c.texts("deepstack_visual_indexes");
            for (int i = 0; i < layers.size(); i++) {
                if (between.contains(Integer.toString(i))) {
                    deep.put(i, mergers.add(kind.deepMerger(c, width)));
                }
            }
        }
    }

    @Override
    protected String type() {
        return kind.tower();
    }

    /** The states of patches, those of tokens, and tokens of states between layers. */
    @Override
    protected Value[] results(Scope s, Value... in) {
        Value[] near = kind.deep() ? near(s, in[1]) : new Value[0];
        s.line("places = get_vision_position_ids(grid_thw, self.spatial_merge_size, kwargs=kwargs)");
        Value places = s.op(
                "transformers.image_places.default",
                "grid",
                in[1],
                "rows",
                grid.rows(),
                "columns",
                grid.columns(),
                "merge",
                grid.merge());
        s.line("cu_seqlens, max_seqlen = get_vision_attention_seqlens(grid_thw, self.config, kwargs=kwargs)");
        Value bounds = s.op("transformers.image_bounds.default", "grid", in[1]);
        Value windows = bounds;
        if (kind.windows()) {
            s.line("window_index, cu_window_seqlens = get_vision_window_index(grid_thw)");
            windows = s.op(
                    "transformers.window_bounds.default",
                    "grid",
                    in[1],
                    "windows",
                    grid.countedWindows(side),
                    "filled",
                    grid.windows(side).length);
        }
        s.line("x = self.patch_embed(pixel_values)");
        Value x = s.call(patches, in[0]);
        if (kind.windows()) {
            s.line("x = self.permute_input_for_window_attn(x, window_index)");
            x = permuted(s, x);
        }
        if (kind.deep()) {
            x = placed(s, x, near);
        }
        s.line("turns = self.rotary_pos_emb(x, places)");
        Value[] turns = s.results(rotary, x, places);
        if (kind.windows()) {
            s.line("turns = tuple(self.permute_input_for_window_attn(freq, window_index) for freq in turns)");
            turns = new Value[] {permuted(s, turns[0]), permuted(s, turns[1])};
        }
        List<Value> between = new ArrayList<>();
        for (int i = 0; i < layers.size(); i++) {
            s.line("x = blk(x, cu_seqlens, position_embeddings)");
            x = s.call(layers.get(i), x, windowed.get(i) ? windows : bounds, turns[0], turns[1]);
            Layer own = deep.get(i);
            if (own != null) {
                s.line("deepstack_feature = self.deepstack_merger_list[k](x)");
                between.add(s.call(own, x));
            }
        }
        s.line("merged = self.merger(x)");
        Value merged = s.call(merger, x);
        if (kind.windows()) {
            s.line("merged = merged[reverse_indices, :]");
            merged = s.op("transformers.rows_in_order.default", "self", merged);
        }
        s.use(places, bounds, windows);
        s.use(near);
        List<Value> out = new ArrayList<>(List.of(x, merged));
        out.addAll(between);
        return out.toArray(Value[]::new);
    }

    /** {@code get_vision_interpolation_indices_and_weights}: four learned places near each patch, and their shares. */
    private Value[] near(Scope s, Value grid) {
        s.line("interp_indices, interp_weights = get_vision_interpolation_indices_and_weights(grid_thw)");
        return s.ops(
                "transformers.near_places.default", 2, Scope.arguments("grid", grid, "patches", this.grid.patches()));
    }

    private Value placed(Scope s, Value x, Value[] near) {
        s.line("pos_embeds = (self.pos_embed(interp_indices) * interp_weights[:, :, None]).sum(1)");
        Value rows = s.call(Objects.requireNonNull(places), near[0]);
        Value shares = s.op("aten.unsqueeze.default", "self", near[1], "dim", 2);
        Value weighed = s.op("aten.mul.Tensor", "self", rows, "other", shares);
        Value sum = s.op("aten.sum.dim_IntList", "self", weighed, "dim", new long[] {1});
        s.line("x = x + pos_embeds.to(x.dtype)");
        Value same = s.op("aten.to.dtype", "self", sum, "dtype", new Argument.TypeOf(x.name()));
        Value out = s.op("aten.add.Tensor", "self", x, "other", same);
        s.use(sum);
        return out;
    }

    /** {@code permute_input_for_window_attn}. */
    private Value permuted(Scope s, Value x) {
        return s.function("permute_input_for_window_attn", () -> {
            long unit = grid.merge() * grid.merge();
            s.line("input_tensor = input_tensor.reshape(seq_len // unit, unit, -1)");
            SymExpr[] sizes = {grid.allTokens(), SymExpr.of(unit), SymExpr.of(-1)};
            Value blocks = s.op("aten.reshape.default", "self", x, "shape", sizes);
            s.line("input_tensor = input_tensor[window_index, :, :]");
            Value picked = s.op("transformers.rows_in_order.default", "self", blocks);
            s.line("input_tensor = input_tensor.reshape(seq_len, -1)");
            return s.op("aten.flatten.using_ints", "self", picked, "start_dim", 0, "end_dim", 1);
        });
    }

    /** {@code PatchEmbed}. */
    private static final class Patches extends Layer {
        private final QwenKind kind;
        private final long[] sizes;
        private final long width;
        private final Layer projection;

        private Patches(QwenKind kind, ModelConfig c, long width) {
            this.kind = kind;
            this.width = width;
            long patch = c.size("patch_size");
            long frames = c.size("temporal_patch_size");
            long channels = c.size("in_channels");
            sizes = new long[] {-1, channels, frames, patch, patch};
            projection =
                    child("proj", Layers.blocks3d(channels, width, new long[] {frames, patch, patch}, kind.deep()));
        }

        @Override
        protected String type() {
            return kind.patches();
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("x = x.view(-1, self.in_channels, self.temporal_patch_size, self.patch_size, self.patch_size)");
            Value x = s.op("aten.view.default", "self", in[0], "size", sizes);
            s.line("x = self.proj(x.to(dtype=target_dtype)).view(-1, self.embed_dim)");
            x = s.call(projection, x);
            return s.op("aten.view.default", "self", x, "size", new long[] {-1, width});
        }
    }

    /** {@code Qwen2VLVisionRotaryEmbedding}: angles of rows and columns, in float32. */
    private static final class Places extends SeveralResults {
        private final QwenKind kind;

        private Places(QwenKind kind, long size) {
            this.kind = kind;
            scratch("inv_freq", DType.FLOAT32, size / 4);
            scratch("original_inv_freq", DType.FLOAT32, size / 4);
        }

        @Override
        protected String type() {
            return kind.prefix() + "VisionRotaryEmbedding";
        }

        @Override
        protected Value[] results(Scope s, Value... in) {
            s.line("position_ids_expanded = position_ids[..., None].float()");
            Value column = s.op("aten.unsqueeze.default", "self", in[1], "dim", -1);
            Value numbers = s.op("aten.to.dtype", "self", column, "dtype", DType.FLOAT32);
            s.line("freqs = position_ids_expanded * self.inv_freq.float()");
            Value angles = s.op("aten.mul.Tensor", "self", numbers, "other", s.parameter("inv_freq"));
            s.line("cos = freqs.cos() * self.attention_scaling");
            Value cos = s.op("aten.mul.Tensor", "self", s.op("aten.cos.default", "self", angles), "other", 1.0);
            s.line("sin = freqs.sin() * self.attention_scaling");
            Value sin = s.op("aten.mul.Tensor", "self", s.op("aten.sin.default", "self", angles), "other", 1.0);
            s.line("cos = self.recomposition_frequencies(cos)");
            Value allCos = recomposed(s, cos);
            s.line("sin = self.recomposition_frequencies(sin)");
            Value allSin = recomposed(s, sin);
            s.line("return cos, sin");
            s.use(numbers, angles);
            return new Value[] {allCos, allSin};
        }

        private static Value recomposed(Scope s, Value of) {
            return s.function("recomposition_frequencies", () -> {
                s.line("freq_h, freq_w = freq[:, 0], freq[:, 1]");
                Value h = s.op("aten.select.int", "self", of, "dim", 1, "index", 0);
                Value w = s.op("aten.select.int", "self", of, "dim", 1, "index", 1);
                s.line("freq_hw = torch.cat([freq_h, freq_w], dim=-1)");
                Value both = s.op("aten.cat.default", "tensors", new Value[] {h, w}, "dim", -1);
                s.line("return torch.cat([freq_hw, freq_hw], dim=-1)");
                return s.op("aten.cat.default", "tensors", new Value[] {both, both}, "dim", -1);
            });
        }
    }
}
