package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The masks of attention, and the looks at values that find that none is needed (transformers, masking_utils.py). */
public final class Masks {
    /** Stands for layers without a window. */
    public static final long NO_WINDOW = 0;

    /** Stands for a window of no token at all, of configs whose layers do not slide but whose mask is made. */
    public static final long EMPTY_WINDOW = -1;

    private static final String MASK = "mask_";

    private final Scope s;
    private final Request request;
    private final Value embedded;
    /** {@code null} for masks that are made without a look at them. */
    private final @Nullable Value positions;

    private final CacheStep step;
    private final CacheStep.Keys keys;
    private final long window;
    private boolean skips = true;
    private boolean chunks;
    private boolean mapped;

    /** Which block each token belongs to, whose tokens see each other; {@code null} where there are none. */
    private @Nullable Value blocks;

    private Masks(Scope s, Request request, Value embedded, @Nullable Value positions, long window) {
        this.s = s;
        this.request = request;
        this.embedded = embedded;
        this.positions = positions;
        this.window = window;
        this.step = request.step() == null ? CacheStep.none(request, window) : request.step();
        this.keys = window == EMPTY_WINDOW ? step.keys(false).unseen() : step.keys(window != NO_WINDOW);
    }

    /**
     * {@code create_causal_mask}, or {@code create_sliding_window_causal_mask} with a window.
     *
     * @param embedded the embedded tokens
     * @param window how many tokens a query sees, its own among them; {@link #NO_WINDOW} for all before it
     * @return empty where the kernel masks by itself
     */
    public static Optional<Value> causal(
            Scope s, Request request, Value embedded, @Nullable Value positions, long window) {
        if (request.step() != null && request.step().fixed()) {
            return s.isLet(MASK + window) ? Optional.of(s.given(MASK + window)) : Optional.empty();
        }
        return causal(new Masks(s, request, embedded, positions, window), window);
    }

    /** {@code create_chunked_causal_mask}, whose chunks begin behind the padding that a sequence begins with. */
    static Optional<Value> chunked(Scope s, Request request, Value embedded, @Nullable Value positions, long size) {
        Masks masks = new Masks(s, request, embedded, positions, size);
        masks.chunks = true;
        return causal(masks, size);
    }

    /** {@code create_causal_mask(allow_is_causal_skip=False)}: a mask whatever the kernel could do. */
    public static Value always(Scope s, Request request, Value embedded) {
        Masks masks = new Masks(s, request, embedded, null, NO_WINDOW);
        masks.skips = false;
        return causal(masks, NO_WINDOW).orElseThrow();
    }

    /**
     * {@code create_causal_mask} or {@code create_sliding_window_causal_mask} with {@code block_sequence_ids}.
     *
     * @param blocks the number of each token's block, -1 for none
     * @param mapped whether the window is around blocks as well, in functions that are mapped over all pairs
     *     ({@code create_masks_for_vision_model}, models/gemma3/modeling_gemma3.py)
     */
    public static Value blockwise(
            Scope s, Request request, Value x, @Nullable Value positions, Value blocks, long window, boolean mapped) {
        Masks masks = new Masks(s, request, x, positions, window);
        masks.skips = false;
        masks.blocks = blocks;
        masks.mapped = mapped;
        return causal(masks, window).orElseThrow();
    }

    /** {@code _preprocess_mask_arguments} alone, whose results but sizes are let go of. */
    public static void preprocess(Scope s, Request request, Value embedded, @Nullable Value positions) {
        Masks masks = new Masks(s, request, embedded, positions, NO_WINDOW);
        s.line("early_exit, _, _, _, kv_length, _, kv_offset = _preprocess_mask_arguments()");
        s.function("preprocess_mask_arguments", () -> {
            masks.given();
            return embedded;
        });
    }

    private static Optional<Value> causal(Masks masks, long window) {
        Scope s = masks.s;
        s.line(window == NO_WINDOW ? "mask = create_causal_mask(x)" : "sliding_mask = create_sliding_mask(x)");
        return s.function("create_mask", masks::write);
    }

    /**
     * {@code create_bidirectional_mask}, or {@code create_bidirectional_sliding_window_mask} with a window.
     *
     * @param window how far away a key may be; {@link #NO_WINDOW} for any distance
     * @return empty where none is needed
     */
    public static Optional<Value> bidirectional(Scope s, Request request, Value embedded, long window) {
        Masks masks = new Masks(s, request, embedded, embedded, window);
        return s.function("create_bidirectional_mask", masks::writeBidirectional);
    }

    private Optional<Value> writeBidirectional() {
        boolean given = request.options().mask() != ModelOptions.Mask.NONE;
        boolean near = window == NO_WINDOW || request.seq() < window;
        Optional<Value> padding = Optional.empty();
        if (given) {
            s.line("attention_mask = attention_mask.to(dtype=torch.bool)");
            Value tokens = s.given("attention_mask");
            padding = Optional.of(s.op("aten.to.dtype", "self", tokens, "dtype", DType.BOOL));
        }
        MaskFunction all = MaskFunction.all();
        MaskFunction seen = window == NO_WINDOW ? all : MaskFunction.both(List.of(MaskFunction.around(window), all));
        Optional<Value> tokens = padding;
        if (tokens.isPresent()) {
            s.line("if padding_mask.all()");
            s.op("aten.all.default", "self", tokens.get());
        }
        if (near && request.options().mask() != ModelOptions.Mask.PADDED) {
            return Optional.empty();
        }
        s.line("attention_mask = mask_interface(mask_function, attention_mask)");
        return request.eager()
                ? Optional.of(s.function("eager_mask", () -> additive(seen, tokens)))
                : s.function("sdpa_mask", () -> truths(seen, tokens, false));
    }

    /**
     * Makes the mask before the model is called, as for a cache of fixed size, for which models could be compiled.
     *
     * @return empty where the kernel masks by itself
     */
    public static Optional<Value> prepare(Scope s, Request request, Value embedded, Value positions, long window) {
        Masks masks = new Masks(s, request, embedded, positions, window);
        Optional<Value> mask = s.function("create_mask", masks::write);
        mask.ifPresent(m -> s.let(MASK + window, m));
        return mask;
    }

    /** What says which tokens are padding, or else which are packed. */
    private record Given(Optional<Value> padding, Optional<Value> packed) {}

    private Given given() {
        if (request.step() != null
                || s.isLet("attention_mask")
                || request.options().mask() != ModelOptions.Mask.NONE) {
            s.line("attention_mask = attention_mask.to(dtype=torch.bool)");
            Value given = s.given("attention_mask");
            return new Given(Optional.of(s.op("aten.to.dtype", "self", given, "dtype", DType.BOOL)), Optional.empty());
        }
        if (positions == null || request.caches() || request.prefix() > 0) {
            return new Given(Optional.empty(), Optional.empty());
        }
        Value ids = positions;
        s.line("packed_sequence_mask = find_packed_sequence_indices(position_ids)");
        Value sums = s.function("find_packed", () -> packedSequences(ids));
        return new Given(Optional.empty(), request.options().packing() ? Optional.of(sums) : Optional.empty());
    }

    /** What a query sees beside what is padding. */
    private MaskFunction seen(Optional<Value> packed) {
        MaskFunction causal = MaskFunction.causal();
        boolean slides = window != NO_WINDOW;
        MaskFunction function = slides ? MaskFunction.both(List.of(MaskFunction.window(window), causal)) : causal;
        Value of = blocks;
        if (of != null && mapped) {
            MaskFunction either = MaskFunction.mapped(false, List.of(causal, MaskFunction.block(of)));
            function = MaskFunction.mapped(true, List.of(either, MaskFunction.window(window)));
        }
        if (packed.isPresent()) {
            MaskFunction own = MaskFunction.packed(packed.get());
            List<MaskFunction> all = List.of(function, own);
            function = mapped ? MaskFunction.mapped(true, all) : MaskFunction.both(all);
        }
        return of == null || mapped ? function : MaskFunction.either(List.of(function, MaskFunction.block(of)));
    }

    private Optional<Value> write() {
        Given given = given();
        MaskFunction of = chunks ? MaskFunction.chunk(leftPadding(given.padding()), window) : seen(given.packed());
        s.line("causal_mask = mask_interface(mask_function, attention_mask)");
        boolean decodesFixed = step.fixed() && !step.prompt(); // is_compileable and q_length == 1
        boolean maySkip = skips && given.packed().isEmpty() && !request.eager() && !decodesFixed;
        return request.eager()
                ? Optional.of(s.function("eager_mask", () -> additive(of, given.padding())))
                : s.function("sdpa_mask", () -> truths(of, given.padding(), maySkip));
    }

    /** How many tokens of padding each sequence begins with. */
    private Value leftPadding(Optional<Value> mask) {
        if (mask.isEmpty()) {
            s.line("left_padding_tokens = torch.zeros(batch_size, device=device, dtype=int)");
            return s.op("aten.zeros.default", "size", new SymExpr[] {Request.BATCH}, "dtype", DType.INT64);
        }
        s.line("left_padding_tokens = (attention_mask.cumsum(-1) == zeros_like(attention_mask)).sum(dim=-1)");
        Value sums = s.op("aten.cumsum.default", "self", mask.get(), "dim", -1);
        Value zeros = s.op("aten.zeros_like.default", "self", mask.get());
        Value none = s.op("aten.eq.Tensor", "self", sums, "other", zeros);
        return s.op("aten.sum.dim_IntList", "self", none, "dim", new long[] {-1});
    }

    /** {@code find_packed_sequence_indices}: whether positions restart somewhere. */
    private Value packedSequences(Value positions) {
        SymExpr[] all = {Request.BATCH, SymExpr.of(-1)};
        s.line("first = position_ids[:, :1] - 1");
        Value rows = s.op("aten.expand.default", "self", positions, "size", all);
        Value firsts = s.op("aten.slice.Tensor", "self", rows, "dim", 1, "start", 0, "end", 1);
        Value before = s.op("aten.sub.Tensor", "self", firsts, "other", 1);
        s.line("steps = torch.diff(position_ids, prepend=first, dim=-1)");
        Value steps = s.op("aten.diff.default", "self", rows, "n", 1, "dim", -1, "prepend", before);
        s.line("sums = (steps != 1).cumsum(-1)");
        Value jumps = s.op("aten.ne.Scalar", "self", steps, "other", 1);
        Value sums = s.op("aten.cumsum.default", "self", jumps, "dim", -1);
        s.line("if (sums[:, -1] == 0).all()");
        Value lasts = s.op("aten.select.int", "self", sums, "dim", -1, "index", -1);
        Value none = s.op("aten.eq.Scalar", "self", lasts, "other", 0);
        s.op("aten.all.default", "self", none);
        return sums;
    }

    /** {@code sdpa_mask}. */
    private Optional<Value> truths(MaskFunction causal, Optional<Value> given, boolean maySkip) {
        Optional<Value> padding = given.map(this::padded);
        if (maySkip && skips(padding)) {
            return Optional.empty();
        }
        MaskFunction function = padding.map(p -> List.of(causal, MaskFunction.padding(p)))
                .map(all -> mapped ? MaskFunction.mapped(true, all) : MaskFunction.both(all))
                .orElse(causal);
        s.line("batch_indices = torch.arange(batch_size)");
        Value batch = s.op("aten.arange.default", "end", Request.BATCH);
        s.line("head_indices = torch.arange(1)");
        Value heads = s.op("aten.arange.default", "end", 1);
        s.line("query_indices = torch.arange(q_length) + q_offset");
        Value query = counted(step.queries(), step.past(request));
        s.line("key_indices = torch.arange(kv_length) + kv_offset");
        Value key = counted(keys.length(), keys.offset());
        s.line("mask = mask_function(*shaped(batch_indices, head_indices, query_indices, key_indices))");
        shaped(heads, 1);
        MaskFunction.Indices at = new MaskFunction.Indices(shaped(batch, 0), shaped(query, 2), shaped(key, 3));
        Value mask = function.write(s, at);
        s.line("mask = mask.expand(batch_size, -1, q_length, kv_length)");
        if (mapped) {
            return Optional.of(mask);
        }
        SymExpr[] all = {Request.BATCH, SymExpr.of(-1), step.queries(), keys.length()};
        return Optional.of(s.op("aten.expand.default", "self", mask, "size", all));
    }

    /** {@code prepare_padding_mask}. */
    private Value padded(Value tokens) {
        if (keys.padding() == null) {
            return tokens;
        }
        s.line("padding_mask = prepare_padding_mask(attention_mask, kv_length, kv_offset)");
        SymExpr[] sides = {SymExpr.of(0), keys.padding()};
        return s.op("aten.constant_pad_nd.default", "self", tokens, "pad", sides);
    }

    private Value counted(SymExpr count, SymExpr offset) {
        Value counted = s.op("aten.arange.default", "end", count);
        return s.op("aten.add.Tensor", "self", counted, "other", offset);
    }

    /** A view of four dimensions, all but one of them of size 1. */
    private Value shaped(Value indices, int dim) {
        Value x = indices;
        for (int d = 0; d < 4; d++) {
            x = d == dim ? x : s.op("aten.unsqueeze.default", "self", x, "dim", d);
        }
        return x;
    }

    /** {@code _ignore_causal_mask_sdpa}. */
    private boolean skips(Optional<Value> padding) {
        if (padding.isEmpty()) {
            return keys.look() != CacheStep.Look.NONE;
        }
        return s.function("ignore_causal_mask", () -> looks(padding.get()));
    }

    private boolean looks(Value given) {
        Value mask = given;
        if (keys.picked()) {
            s.line("mask_indices = torch.arange(kv_length) + kv_offset");
            Value at = counted(keys.length(), keys.offset());
            s.line("padding_mask = padding_mask[:, mask_indices]");
            Argument columns = new Argument.Values(Arrays.asList(null, at.name()));
            mask = s.op("aten.index.Tensor", "self", given, "indices", columns);
        }
        boolean full = request.options().mask() != ModelOptions.Mask.PADDED;
        if (keys.look() == CacheStep.Look.ALL) {
            s.line("if fast_all(padding_mask)");
            looked(mask);
            if (!full && step.prompt()) {
                s.line("if fast_all(padding_mask[:, :q_length])");
                looked(cut(mask, SymExpr.of(0), step.queries()));
            }
        } else if (keys.look() == CacheStep.Look.PROMPT_AND_ROOM) {
            s.line("if fast_all(padding_mask[:, :q_length]) and fast_all(~padding_mask[:, q_length:])");
            looked(cut(mask, SymExpr.of(0), step.queries()));
            if (full) {
                Value rest = cut(mask, step.queries(), SymExpr.of(Long.MAX_VALUE));
                looked(s.op("aten.bitwise_not.default", "self", rest));
            }
        }
        return full && keys.look() != CacheStep.Look.NONE;
    }

    private Value cut(Value mask, SymExpr from, SymExpr to) {
        return s.op("aten.slice.Tensor", "self", mask, "dim", 1, "start", from, "end", to);
    }

    /** {@code fast_all}, whose answer is read back. */
    private void looked(Value mask) {
        Value sum = s.op("aten.sum.default", "self", mask);
        Value same = s.op("aten.eq.Scalar", "self", sum, "other", 1);
        s.use(mask, same);
    }

    /** {@code eager_mask}: 0 where a query sees a key, the lowest number elsewhere. */
    private Value additive(MaskFunction causal, Optional<Value> padding) {
        s.line("mask = sdpa_mask(mask_function, attention_mask)");
        Value seen =
                s.function("sdpa_mask", () -> truths(causal, padding, false)).orElseThrow();
        s.line("mask = torch.where(mask, torch.tensor(0.0, dtype=dtype), min_dtype)");
        Argument type = new Argument.TypeOf(embedded.name());
        Value zero = s.op("aten.full.default", "size", new long[0], "fill_value", 0.0, "dtype", type);
        return s.op("aten.where.ScalarOther", "condition", seen, "self", zero, "other", -1e38);
    }
}
