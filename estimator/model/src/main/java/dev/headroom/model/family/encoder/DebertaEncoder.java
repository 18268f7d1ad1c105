package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code DebertaV2Encoder}: layers that share embeddings of how far tokens are from each other. */
final class DebertaEncoder extends SeveralResults {
    /**
     * How positions are told.
     *
     * @param span distances on each side that have an embedding
     * @param buckets for distances, farther ones sharing them; 0 for none
     * @param longest distance
     */
    record Distances(long span, long buckets, long longest) {
        static Distances of(ModelConfig c) {
            Object asked = c.entries().get("max_relative_positions");
            long given = asked instanceof Long n ? n : -1;
            long longest = given < 1 ? c.size("max_position_embeddings", 512) : given;
            Object bucketed = c.entries().get("position_buckets");
            long buckets = bucketed instanceof Long n && n > 0 ? n : 0;
            return new Distances(buckets > 0 ? buckets : longest, buckets, longest);
        }
    }

    private final boolean normed;
    private final Layer distances;
    private final Layer norm;
    private final List<Layer> layers = new ArrayList<>();
    private final Distances how;

    DebertaEncoder(Shape shape, Request request) {
        ModelConfig c = request.config();
        if (!c.flag("relative_attention", false) || c.count("conv_kernel_size", 0) > 0) {
            throw new UserInputException(
                    c.source() + ": DeBERTa without relative attention or with a convolution is not"
                            + " written; export the model instead (headroom export-help)");
        }
        how = Distances.of(c);
        ModuleList list = child("layer", new ModuleList());
        for (int i = 0; i < c.size("num_hidden_layers"); i++) {
            layers.add(list.add(new DebertaLayer(shape, request, how)));
        }
        distances = child("rel_embeddings", new Table(2 * how.span(), shape.width()));
        normed = c.text("norm_rel_ebd", "none").toLowerCase(Locale.ROOT).contains("layer_norm");
        norm = Layers.layerNorm(shape.width());
        if (normed) {
            child("LayerNorm", norm);
        }
    }

    /** Whether a batch brings a mask. */
    static boolean masked(Request request) {
        return request.options().mask() != ModelOptions.Mask.NONE;
    }

    @Override
    protected String type() {
        return DebertaV2.CLASS + "Encoder";
    }

    /** The states before the first layer and after each. */
    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("attention_mask = self.get_attention_mask(attention_mask)");
        Value mask = s.function("get_attention_mask", () -> mask(s, in[1]));
        s.line("relative_pos = self.get_rel_pos(hidden_states)");
        Value apart = s.function("build_relative_position", () -> apart(s));
        s.line("rel_embeddings = self.get_rel_embedding()");
        Value weight = s.results(distances)[0];
        Value table = normed ? s.call(norm, weight) : weight;
        List<Value> states = new ArrayList<>(List.of(in[0]));
        s.line("output_states = layer_module(next_kv, attention_mask, relative_pos, rel_embeddings)");
        for (Layer layer : layers) {
            states.add(s.call(layer, states.get(states.size() - 1), mask, apart, table));
        }
        s.use(mask, apart, table);
        return states.toArray(Value[]::new);
    }

    private static Value mask(Scope s, Value given) {
        s.line("extended_attention_mask = attention_mask.unsqueeze(1).unsqueeze(2)");
        Value wide = s.op("aten.unsqueeze.default", "self", given, "dim", 1);
        wide = s.op("aten.unsqueeze.default", "self", wide, "dim", 2);
        s.line("attention_mask = extended_attention_mask * extended_attention_mask.squeeze(-2).unsqueeze(-1)");
        Value column = s.op("aten.squeeze.dim", "self", wide, "dim", -2);
        column = s.op("aten.unsqueeze.default", "self", column, "dim", -1);
        return s.op("aten.mul.Tensor", "self", wide, "other", column);
    }

    private Value apart(Scope s) {
        s.line("q_ids = torch.arange(query_size, dtype=torch.long)");
        Value queries = s.op("aten.arange.default", "end", Request.SEQ);
        s.line("k_ids = torch.arange(key_size, dtype=torch.long)");
        Value keys = s.op("aten.arange.default", "end", Request.SEQ);
        s.line("rel_pos_ids = q_ids[:, None] - k_ids[None, :]");
        Value column = s.op("aten.unsqueeze.default", "self", queries, "dim", 1);
        Value row = s.op("aten.unsqueeze.default", "self", keys, "dim", 0);
        Value apart = s.op("aten.sub.Tensor", "self", column, "other", row);
        if (how.buckets() > 0) {
            Value all = apart;
            s.line("rel_pos_ids = make_log_bucket_position(rel_pos_ids, bucket_size, max_position)");
            apart = s.function("make_log_bucket_position", () -> buckets(s, all));
        }
        s.line("rel_pos_ids = rel_pos_ids.to(torch.long)");
        apart = s.op("aten.to.dtype", "self", apart, "dtype", DType.INT64);
        s.line("rel_pos_ids = rel_pos_ids.unsqueeze(0)");
        return s.op("aten.unsqueeze.default", "self", apart, "dim", 0);
    }

    private static Value buckets(Scope s, Value apart) {
        s.line("sign = torch.sign(relative_pos)");
        Value sign = s.op("aten.sign.default", "self", apart);
        s.line("abs_pos = torch.where((relative_pos < mid) & (relative_pos > -mid), near, torch.abs(relative_pos))");
        Value below = s.op("aten.lt.Scalar", "self", apart, "other", 1);
        Value above = s.op("aten.gt.Scalar", "self", apart, "other", -1);
        Value near = s.op("aten.__and__.Tensor", "self", below, "other", above);
        Value middle = s.op("aten.full.default", "size", new long[0], "fill_value", 1, "dtype", DType.INT64);
        Value lengths = s.op("aten.abs.default", "self", apart);
        Value far = s.op("aten.where.self", "condition", near, "self", middle, "other", lengths);
        s.line("log_pos = torch.ceil(torch.log(abs_pos / mid) / torch.log(most) * (mid - 1)) + mid");
        Value share = s.op("aten.div.Tensor", "self", far, "other", 2);
        share = s.op("aten.log.default", "self", share);
        share = s.op("aten.div.Tensor", "self", share, "other", 2.0);
        share = s.op("aten.mul.Tensor", "self", share, "other", 1);
        share = s.op("aten.ceil.default", "self", share);
        Value log = s.op("aten.add.Tensor", "self", share, "other", 1);
        s.line("bucket_pos = torch.where(abs_pos <= mid, relative_pos.type_as(log_pos), log_pos * sign)");
        Value close = s.op("aten.le.Scalar", "self", far, "other", 1);
        Value as = s.op("aten.to.dtype", "self", apart, "dtype", new Argument.TypeOf(log.name()));
        Value signed = s.op("aten.mul.Tensor", "self", log, "other", sign);
        return s.op("aten.where.self", "condition", close, "self", as, "other", signed);
    }

    /** {@code rel_embeddings}, whose weight is read whole. */
    private static final class Table extends Layer {
        private Table(long rows, long width) {
            parameter("weight", rows, width);
        }

        @Override
        protected String type() {
            return "torch.nn.modules.sparse.Embedding";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            return s.parameter("weight");
        }
    }
}
