package dev.headroom.model.family.older;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.EmbeddingDecoder;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.DecoderHeads;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** BLOOM (transformers, models/bloom/modeling_bloom.py): positions weigh on scores, in plain operators alone. */
public final class Bloom extends EmbeddingDecoder {
    static final String CLASS = "transformers.models.bloom.modeling_bloom.Bloom";

    private static final String MASK = "attention_mask";
    private static final long VOCABULARY = 250_880;

    private final Request request;
    private final Pass pass;
    private final AttentionShape shape;
    private final Layer tokensNorm;
    private final List<Layer> blocks = new ArrayList<>();
    private final Layer norm;

    private Bloom(Request request, ModelConfig c, Pass pass) {
        super(CLASS + "Model", "word_embeddings", tokens(c));
        this.request = request;
        this.pass = pass;
        shape = AttentionShape.of(c, CLASS + "Attention").withDropout(c.number("attention_dropout", 0));
        tokensNorm = child("word_embeddings_layernorm", Layers.layerNorm(shape.width()));
        ModuleList list = child("h", new ModuleList());
        for (int i = 0; i < c.size("num_hidden_layers"); i++) {
            blocks.add(list.add(new BloomBlock(c, shape, request, pass)));
        }
        norm = child("ln_f", Layers.layerNorm(shape.width()));
    }

    private static Layer tokens(ModelConfig c) {
        return Layers.embedding(c.size("vocab_size", VOCABULARY), c.size("hidden_size"));
    }

    /** The model that a config describes. */
    public static Layer of(Request asked) {
        Request request = asked.eagerly();
        ModelConfig c = request.config()
                .renamed(Map.of(
                        "n_embed", "hidden_size", "n_layer", "num_hidden_layers", "n_head", "num_attention_heads"));
        if (request.scenario().generation().any()) {
            throw new UserInputException(c.source()
                    + ": generate() of BLOOM, which counts no positions, is not written;" + " leave `generate` out");
        }
        Pass pass = new Pass();
        return DecoderHeads.around(
                new DecoderHeads.Names(CLASS, "transformer", "classifier", false),
                "ForCausalLM",
                request,
                pass,
                c.size("vocab_size", VOCABULARY),
                c.size("hidden_size"),
                true,
                new Bloom(request, c, pass));
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("inputs_embeds = self.word_embeddings(input_ids)");
        Value embedded = s.call(embeddings(), in[0]);
        s.line("x = self.word_embeddings_layernorm(inputs_embeds)");
        Value x = s.call(tokensNorm, embedded);
        boolean given = request.options().mask() != ModelOptions.Mask.NONE;
        Value mask = s.given(MASK);
        if (!given) {
            s.line("attention_mask = torch.ones((batch_size, seq_length_with_past))");
            SymExpr[] sizes = {Request.BATCH, Request.SEQ};
            mask = s.op("aten.ones.default", "size", sizes, "dtype", DType.FLOAT32);
            s.let(MASK, mask);
        }
        s.line("alibi = self.build_alibi_tensor(attention_mask, self.num_heads, dtype)");
        Value tokensSeen = mask;
        Value like = x;
        Value alibi = s.function("build_alibi_tensor", () -> alibi(s, tokensSeen, like));
        pass.mask(AttentionShape.FULL, Masks.causal(s, request, embedded, null, Masks.NO_WINDOW));
        Value[] outputs = {x};
        for (Layer block : blocks) {
            s.line("outputs = block(x)");
            Value[] before = outputs;
            outputs = s.results(block, x, alibi);
            s.use(before); // the variable's last value lives until then
            s.line("x = outputs[0]");
            x = outputs[0];
        }
        s.line("x = self.ln_f(x)");
        Value out = s.call(norm, x);
        s.use(embedded, alibi);
        if (!given) {
            s.use(mask);
        }
        s.use(outputs);
        pass.mask(AttentionShape.FULL).ifPresent(s::use);
        return out;
    }

    /** How much each head minds how far away a key is. */
    private Value alibi(Scope s, Value mask, Value like) {
        long two = Long.highestOneBit(shape.heads());
        s.line("base = torch.full((), 2 ** (-(2 ** -(math.log2(closest_power_of_2) - 3))))");
        Value base = s.op("aten.full.default", "size", new long[0], "fill_value", 0.5, "dtype", DType.FLOAT32);
        s.line("powers = torch.arange(1, 1 + closest_power_of_2, dtype=torch.int32)");
        Value powers = s.op("aten.arange.start", "start", 1, "end", 1 + two, "dtype", DType.INT32);
        s.line("slopes = torch.pow(base, powers)");
        Value slopes = s.op("aten.pow.Tensor_Tensor", "self", base, "exponent", powers);
        if (two != shape.heads()) {
            s.line("extra_base = torch.full((), 2 ** (-(2 ** -(math.log2(2 * closest_power_of_2) - 3))))");
            Value more = s.op("aten.full.default", "size", new long[0], "fill_value", 0.5, "dtype", DType.FLOAT32);
            long rest = Math.min(two, shape.heads() - two);
            s.line("extra_powers = torch.arange(1, 1 + 2 * num_remaining_heads, 2, dtype=torch.int32)");
            Value others =
                    s.op("aten.arange.start_step", "start", 1, "end", 1 + 2 * rest, "step", 2, "dtype", DType.INT32);
            s.line("slopes = torch.cat([slopes, torch.pow(extra_base, extra_powers)], dim=0)");
            Value further = s.op("aten.pow.Tensor_Tensor", "self", more, "exponent", others);
            slopes = s.op("aten.cat.default", "tensors", new Value[] {slopes, further}, "dim", 0);
        }
        s.line("arange_tensor = ((attention_mask.cumsum(dim=-1) - 1) * attention_mask)[:, None, :]");
        Value sums = s.op("aten.cumsum.default", "self", mask, "dim", -1);
        Value less = s.op("aten.sub.Tensor", "self", sums, "other", 1);
        Value counted = s.op("aten.mul.Tensor", "self", less, "other", mask);
        Value row = s.op("aten.unsqueeze.default", "self", counted, "dim", 1);
        s.line("alibi = slopes[..., None] * arange_tensor");
        Value column = s.op("aten.unsqueeze.default", "self", slopes, "dim", -1);
        Value alibi = s.op("aten.mul.Tensor", "self", column, "other", row);
        s.line("return alibi.reshape(batch_size * num_heads, 1, seq_length).to(dtype)");
        SymExpr heads = SymExpr.call("Mul", Request.BATCH, SymExpr.of(shape.heads()));
        SymExpr[] sizes = {heads, SymExpr.of(1), SymExpr.of(-1)};
        Value flat = s.op("aten.reshape.default", "self", alibi, "shape", sizes);
        return s.op("aten.to.dtype", "self", flat, "dtype", new Argument.TypeOf(like.name()));
    }
}
