package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;

/** {@code BertEmbeddings} and {@code RobertaEmbeddings}: words, kinds of tokens, positions. */
final class Embeddings extends Layer {
    private final Shape shape;
    private final boolean skipsPadding;
    private final Layer words;
    private final Layer kinds;
    private final Layer positions;
    private final Layer norm;
    private final Layer dropout;

    /** @param skipsPadding positions are counted from the first token after the padding's number, as RoBERTa does */
    Embeddings(Shape shape, ModelConfig c, boolean skipsPadding) {
        this.shape = shape;
        this.skipsPadding = skipsPadding;
        long longest = c.size("max_position_embeddings", 512);
        words = child("word_embeddings", Layers.embedding(c.size("vocab_size"), shape.width()));
        Layer places = Layers.embedding(longest, shape.width());
        if (!skipsPadding) {
            child("position_embeddings", places);
        }
        kinds = child("token_type_embeddings", Layers.embedding(c.size("type_vocab_size", 2), shape.width()));
        norm = child("LayerNorm", Layers.layerNorm(shape.width()));
        dropout = child("dropout", Layers.dropout(shape.dropout()));
        if (skipsPadding) {
            child("position_embeddings", places);
        }
        positions = places;
        scratch("position_ids", DType.INT64, 1, longest);
        scratch("token_type_ids", DType.INT64, 1, longest);
    }

    Layer words() {
        return words;
    }

    @Override
    protected String type() {
        return shape.prefix() + "Embeddings";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line(
                skipsPadding
                        ? "position_ids = self.create_position_ids_from_input_ids(input_ids)"
                        : "position_ids = self.position_ids[:, 0 : seq_length]");
        Value places = skipsPadding
                ? s.function("create_position_ids", () -> counted(s, in[0]))
                : s.op(
                        "aten.slice.Tensor",
                        "self",
                        s.parameter("position_ids"),
                        "dim",
                        1,
                        "start",
                        0,
                        "end",
                        Request.SEQ);
        s.line("token_type_ids = self.token_type_ids.expand(position_ids.shape[0], -1)");
        Value buffer = s.parameter("token_type_ids");
        SymExpr[] rows = {Request.BATCH, SymExpr.of(-1)};
        Value all = skipsPadding ? s.op("aten.expand.default", "self", buffer, "size", rows) : buffer;
        s.line("token_type_ids = torch.gather(token_type_ids, dim=1, index=position_ids)");
        Value gathered = s.op("aten.gather.default", "self", all, "dim", 1, "index", places);
        s.line("ids = token_type_ids.expand(batch_size, seq_length)");
        SymExpr[] sizes = {Request.BATCH, Request.SEQ};
        Value ids = s.op("aten.expand.default", "self", gathered, "size", sizes);
        s.line("inputs_embeds = self.word_embeddings(input_ids)");
        Value word = s.call(words, in[0]);
        s.line("token_type_embeddings = self.token_type_embeddings(ids)");
        Value kind = s.call(kinds, ids);
        s.line("embeddings = inputs_embeds + token_type_embeddings");
        Value x = s.op("aten.add.Tensor", "self", word, "other", kind);
        s.line("position_embeddings = self.position_embeddings(position_ids)");
        Value place = s.call(positions, places);
        s.line("embeddings = embeddings + position_embeddings");
        x = s.op("aten.add.Tensor", "self", x, "other", place);
        s.line("embeddings = self.LayerNorm(embeddings)");
        x = s.call(norm, x);
        s.line("embeddings = self.dropout(embeddings)");
        return s.call(dropout, x);
    }

    private static Value counted(Scope s, Value ids) {
        s.line("mask = input_ids.ne(padding_idx).int()");
        Value real = s.op("aten.ne.Scalar", "self", ids, "other", 1);
        Value mask = s.op("aten.to.dtype", "self", real, "dtype", DType.INT32);
        s.line("incremental = (torch.cumsum(mask, dim=1).type_as(mask) + past) * mask");
        Value sums = s.op("aten.cumsum.default", "self", mask, "dim", 1);
        Value same = s.op("aten.type_as.default", "self", sums, "other", mask);
        Value moved = s.op("aten.add.Tensor", "self", same, "other", 0);
        Value numbers = s.op("aten.mul.Tensor", "self", moved, "other", mask);
        s.line("return incremental.long() + padding_idx");
        Value wide = s.op("aten.to.dtype", "self", numbers, "dtype", DType.INT64);
        return s.op("aten.add.Tensor", "self", wide, "other", 1);
    }
}
