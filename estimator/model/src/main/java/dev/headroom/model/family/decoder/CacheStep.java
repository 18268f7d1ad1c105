package dev.headroom.model.family.decoder;

import dev.headroom.model.generation.Generation;
import dev.headroom.model.generation.GenerationProgram;
import dev.headroom.model.graph.SymExpr;
import org.jspecify.annotations.Nullable;

/**
 * Where a pass of {@code generate()} stands: what its cache holds and returns. Two passes of equal steps make the same
 * operators; sizes are expressions over what is past.
 *
 * @param prompt the pass over the prompt; else one over a new token
 * @param first the pass over the first new token
 * @param fixed the cache has room for all tokens from the first on
 * @param all of layers that see everything
 * @param windowed of layers that see a window; {@code null} for a model without such
 */
public record CacheStep(
        boolean prompt,
        boolean first,
        boolean fixed,
        Keys all,
        @Nullable Keys windowed) {
    /** The number of tokens that the cache holds. */
    static final SymExpr PAST = SymExpr.symbol(GenerationProgram.PAST);

    /** How a mask is found to be of no need (masking_utils.py, _ignore_causal_mask_sdpa). */
    public enum Look {
        /** Not at all: it is needed in any case. */
        NONE,
        /** Whether all are ones. */
        ALL,
        /** Whether all of the prompt are ones, and all of the room behind it zeros. */
        PROMPT_AND_ROOM
    }

    /** What a layer's cache does with new keys and values (cache_utils.py). */
    public enum Update {
        /** DynamicLayer: the old and the new ones are joined. */
        JOIN,
        /** DynamicSlidingWindowLayer: they are joined, and the last of them kept. */
        JOIN_AND_CUT,
        /** StaticLayer, and StaticSlidingWindowLayer while there is room: copied to their place. */
        PLACE,
        /** StaticSlidingWindowLayer, a prompt that does not fit: the last of it is copied. */
        COPY_LAST,
        /** StaticSlidingWindowLayer, full: all move by one. */
        ROLL
    }

    /**
     * Keys of a kind of layers as the mask counts them.
     *
     * @param length how many there are
     * @param offset the position of the first
     * @param padding by how much the mask of tokens is shorter; {@code null} where it is not
     * @param picked whether the mask of tokens is longer, so that the look at it picks the part that counts
     * @param room tokens that a layer's cache keeps at most; 0 for any number
     */
    public record Keys(
            SymExpr length,
            SymExpr offset,
            @Nullable SymExpr padding,
            boolean picked,
            Look look,
            Update update,
            long room) {
        /** The same for a mask that is needed in any case. */
        Keys unseen() {
            return new Keys(length, offset, padding, picked, Look.NONE, update, room);
        }
    }

    /** Tokens that go through the model. */
    public SymExpr queries() {
        return prompt ? Request.SEQ : SymExpr.of(1);
    }

    /** Tokens that the cache held before. */
    SymExpr past(Request request) {
        return prompt ? SymExpr.of(request.prefix()) : PAST;
    }

    /** The keys of layers with a window, or of those without. */
    Keys keys(boolean window) {
        return window && windowed != null ? windowed : all;
    }

    /**
     * A pass on its own.
     *
     * @param window of layers that have one; {@link Masks#NO_WINDOW} for others
     */
    static CacheStep none(Request request, long window) {
        long seq = request.seq();
        long prefix = request.prefix();
        if (prefix > 0) {
            SymExpr length = plus(Request.SEQ, prefix);
            Keys keys = new Keys(length, SymExpr.of(0), null, false, Look.NONE, Update.JOIN, 0);
            return new CacheStep(true, false, false, keys, null);
        }
        return new CacheStep(
                true, false, false, growing(0), window == Masks.NO_WINDOW ? null : growing(seq, true, window));
    }

    /**
     * The step of a pass.
     *
     * @param prompt its length
     * @param generation what is asked for
     * @param past tokens that the cache holds; 0 for the pass over the prompt
     * @param window of layers that have one; {@code null} for a model without such
     */
    public static CacheStep of(long prompt, Generation generation, long past, @Nullable Long window) {
        boolean first = past == prompt;
        if (generation.cache() == Generation.Cache.DYNAMIC) {
            return new CacheStep(
                    past == 0,
                    first,
                    false,
                    growing(past),
                    window == null ? null : growing(past == 0 ? prompt : past, past == 0, window));
        }
        long room = prompt + generation.tokens() - 1;
        return new CacheStep(
                past == 0,
                first,
                true,
                fixed(prompt, past, room),
                window == null ? null : fixed(prompt, past, room, window));
    }

    private static Keys growing(long past) {
        SymExpr length = past == 0 ? Request.SEQ : plus(PAST, 1);
        return new Keys(length, SymExpr.of(0), null, false, Look.ALL, Update.JOIN, 0);
    }

    private static Keys growing(long tokens, boolean prompt, long window) {
        if (prompt) {
            Look look = tokens >= window ? Look.NONE : Look.ALL;
            return new Keys(Request.SEQ, SymExpr.of(0), null, false, look, Update.JOIN_AND_CUT, window);
        }
        boolean full = tokens >= window;
        return new Keys(
                full ? SymExpr.of(window) : plus(PAST, 1),
                full ? plus(PAST, 1 - window) : SymExpr.of(0),
                null,
                full,
                tokens + 1 >= window ? Look.NONE : Look.ALL,
                Update.JOIN_AND_CUT,
                window);
    }

    private static Keys fixed(long prompt, long past, long room) {
        if (past == 0) {
            Look look = room == prompt ? Look.ALL : Look.PROMPT_AND_ROOM;
            SymExpr padding = room == prompt ? null : SymExpr.of(room - prompt);
            return new Keys(SymExpr.of(room), SymExpr.of(0), padding, false, look, Update.PLACE, room);
        }
        SymExpr padding = past + 1 == room ? null : minus(room - 1);
        return new Keys(SymExpr.of(room), SymExpr.of(0), padding, false, Look.NONE, Update.PLACE, room);
    }

    private static Keys fixed(long prompt, long past, long whole, long window) {
        long room = Math.min(window, whole);
        if (past == 0) {
            boolean fits = prompt <= room;
            long length = fits ? room : prompt;
            Look look = length >= window ? Look.NONE : length == prompt ? Look.ALL : Look.PROMPT_AND_ROOM;
            return new Keys(
                    fits ? SymExpr.of(room) : Request.SEQ,
                    SymExpr.of(0),
                    length == prompt ? null : SymExpr.of(length - prompt),
                    false,
                    look,
                    fits ? Update.PLACE : Update.COPY_LAST,
                    room);
        }
        boolean full = past >= room;
        SymExpr padding = full || past + 1 == room ? null : minus(room - 1);
        SymExpr offset = full ? plus(PAST, 1 - room) : SymExpr.of(0);
        return new Keys(SymExpr.of(room), offset, padding, false, Look.NONE, full ? Update.ROLL : Update.PLACE, room);
    }

    private static SymExpr plus(SymExpr a, long b) {
        return b == 0 ? a : SymExpr.call("Add", a, SymExpr.of(b));
    }

    /** What is left of so many after those that are past. */
    private static SymExpr minus(long of) {
        return SymExpr.call("Add", SymExpr.of(of), SymExpr.call("Mul", SymExpr.of(-1), PAST));
    }
}
