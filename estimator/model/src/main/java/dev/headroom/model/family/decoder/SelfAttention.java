package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.part.ReturnsMore;
import dev.headroom.model.graph.SymExpr;
import org.jspecify.annotations.Nullable;

/** Self-attention of a decoder: what follows the projections. */
public abstract class SelfAttention extends SeveralResults implements ReturnsMore {
    /** How queries and keys are turned by their positions. */
    public enum Turn {
        /** Not at all: positions are embedded. */
        NONE,
        /** All of a head. */
        WHOLE,
        /** A part of a head, to which the rest is joined again. */
        PART,
        /** The same, joined once both are turned. */
        PART_FIRST,
        /** The same, joined in the last line. */
        PART_TOGETHER,
        /** A part of a head, cut off before and joined after the turn. */
        CUT,
        /** All of a head, in float32, and back to its own type. */
        WIDE,
        /** The same, of copies in float32. */
        COPIED,
        /** Both halves of a head, by one row of cosines and sines. */
        HALVES,
        /** Elements that lie side by side, by one row of cosines and sines. */
        PAIRS,
        /** The same in a part of a head, by rows that are repeated. */
        REPEATED_PAIRS,
        /** The same of whole heads in float32. */
        WIDE_PAIRS
    }

    private final AttentionShape shape;
    private final Request request;
    private final Pass pass;
    private final Turn turn;

    /** @param turn how queries and keys are turned */
    protected SelfAttention(AttentionShape shape, Request request, Pass pass, Turn turn) {
        this.shape = shape;
        this.request = request;
        this.pass = pass;
        this.turn = turn;
    }

    /** Queries, keys and values, each of four dimensions, heads before tokens. */
    protected abstract Value[] project(Scope s, Value x);

    /** The output projection. */
    protected abstract Layer out();

    /** What a head weighs beside keys, which has a value of nothing; {@code null} for attention without. */
    protected @Nullable Value sinks(Scope s) {
        return null;
    }

    /** The probability that an element of the output projection's result is dropped; {@code null} for no dropout. */
    protected @Nullable Double outDropout() {
        return null;
    }

    /** What drops elements of that result, as a module; {@code null} for none. */
    protected @Nullable Layer outModule() {
        return null;
    }

    /** The weights of the scores, where they are computed in plain operators. */
    @Override
    public final boolean returnsMore() {
        return request.eager() || hasSinks();
    }

    /** Whether there are {@link #sinks}. */
    protected boolean hasSinks() {
        return false;
    }

    @Override
    protected final String type() {
        return shape.type();
    }

    /** {@code x.view(batch, seq, -1, size).transpose(1, 2)}. */
    protected final Value heads(Scope s, Value x) {
        return s.op("aten.transpose.int", "self", rows(s, x), "dim0", 1, "dim1", 2);
    }

    /** {@code x.view(batch, seq, -1, size)}. */
    protected final Value rows(Scope s, Value x) {
        SymExpr[] sizes = {Request.BATCH, request.length(), SymExpr.of(-1), SymExpr.of(shape.size())};
        return s.op("aten.view.default", "self", x, "size", sizes);
    }

    /** The result, and the weights of the scores where they are computed in plain operators. */
    @Override
    protected final Value[] results(Scope s, Value... in) {
        Value[] projected = project(s, in[0]);
        Value[] turned = turn == Turn.NONE
                ? projected
                : Rotations.write(s, turn, projected[0], projected[1], pass.rotation(shape.kind()), shape);
        Value[] all = KeyValueCache.kept(s, request, shape, pass, turned[1], projected[2]);
        Value[] attended =
                AttentionCall.write(s, request, shape, pass.mask(shape.kind()), sinks(s), turned[0], all[0], all[1]);
        s.line("out = out.reshape(batch, seq, -1).contiguous()");
        SymExpr[] joined = {Request.BATCH, request.length(), SymExpr.of(-1)};
        Value flat = s.op("aten.reshape.default", "self", attended[0], "shape", joined);
        s.line("out = self.o_proj(out)");
        Value result = s.call(out(), flat);
        @Nullable Double dropped = outDropout();
        if (dropped != null) {
            s.line("out = nn.functional.dropout(out, p=self.residual_dropout, training=self.training)");
            result = s.op("aten.dropout.default", "input", result, "p", dropped, "train", s.training());
        }
        @Nullable Layer last = outModule();
        if (last != null) {
            s.line("out = self.resid_dropout(out)");
            result = s.call(last, result);
        }
        return attended.length == 1 ? new Value[] {result} : new Value[] {result, attended[1]};
    }
}
