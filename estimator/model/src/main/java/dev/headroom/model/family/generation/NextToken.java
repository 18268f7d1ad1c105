package dev.headroom.model.family.generation;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.List;

/** From the end of a pass to the end of the next: a token is chosen, and goes through the model. */
final class NextToken {
    private final ModelInputs inputs;
    private final boolean afterPrompt;

    NextToken(ModelInputs inputs, boolean afterPrompt) {
        this.inputs = inputs;
        this.afterPrompt = afterPrompt;
    }

    /** Chooses a token and runs the model. */
    Value[] write(Scope s, Layer model) {
        choose(s);
        Value ids = last(s, Names.TOKENS);
        Value positions = last(s, Names.KWARGS_POSITIONS);
        s.let(Names.POSITION_IDS, positions);
        s.let(Names.ATTENTION_MASK, s.given(Names.KWARGS_MASK));
        List<Value> masks = inputs.prepare(s, ids, positions);
        s.bind(Names.MODEL_IDS, ids);
        s.bind(Names.MODEL_POSITIONS, positions);
        inputs.bindMasks(s, masks);
        s.bind(Names.LOGITS, s.results(model, ids)[0]);
        return new Value[0];
    }

    /** {@code x[:, -1:].clone()}. */
    private static Value last(Scope s, String name) {
        Value cut = s.op("aten.slice.Tensor", "self", s.given(name), "dim", 1, "start", -1, "end", Long.MAX_VALUE);
        return s.op("aten.clone.default", "self", cut);
    }

    /** Chooses a token: what follows the last pass as well. Returns all tokens. */
    Value[] choose(Scope s) {
        if (afterPrompt) {
            inputs.deletePrompt(s);
        }
        longerInputs(s);
        Value logits = s.op("aten.select.int", "self", s.variable(Names.LOGITS), "dim", 1, "index", -1);
        Value scores =
                s.op("aten.to.dtype", "self", logits, "dtype", DType.FLOAT32, "non_blocking", false, "copy", true);
        s.bind(Names.NEXT_LOGITS, scores);
        Value next = s.op("aten.argmax.default", "self", scores, "dim", -1);
        s.bind(Names.NEXT_TOKENS, next);
        Value column = s.op("aten.unsqueeze.default", "self", next, "dim", 1);
        Value all = joined(s, s.variable(Names.TOKENS), column);
        rebind(s, Names.TOKENS, all);
        stop(s);
        s.delete(Names.LOGITS);
        return new Value[] {all};
    }

    private static void rebind(Scope s, String name, Value value) {
        s.bind(name, value);
        s.let(name, value);
    }

    private static Value joined(Scope s, Value before, Value added) {
        return s.op("aten.cat.default", "tensors", new Value[] {before, added}, "dim", -1);
    }

    /** {@code _update_model_kwargs_for_generation}. */
    private static void longerInputs(Scope s) {
        Value positions = s.variable(Names.KWARGS_POSITIONS);
        Value one = s.op("aten.arange.default", "end", 1, "dtype", DType.INT64);
        Value last = s.op("aten.slice.Tensor", "self", positions, "dim", -1, "start", -1, "end", Long.MAX_VALUE);
        Value sum = s.op("aten.add.Tensor", "self", one, "other", last);
        Value next = s.op("aten.add.Tensor", "self", sum, "other", 1);
        Value longer = joined(s, positions, next);
        Value mask = s.variable(Names.KWARGS_MASK);
        Value ones = s.op("aten.new_ones.default", "self", mask, "size", rows(1));
        Value longerMask = joined(s, mask, ones);
        rebind(s, Names.KWARGS_POSITIONS, longer);
        rebind(s, Names.KWARGS_MASK, longerMask);
    }

    /** The criteria of StoppingCriteriaList, and the look whether all sequences are done. */
    private static void stop(Scope s) {
        Value none = truths(s);
        Value atEnd = truths(s);
        Value done = s.op("aten.__or__.Tensor", "self", none, "other", atEnd);
        s.use(atEnd, none);
        Value open = s.op("aten.bitwise_not.default", "self", done);
        Value unfinished = s.op("aten.__and__.Tensor", "self", s.variable(Names.UNFINISHED), "other", open);
        s.use(open);
        s.bind(Names.UNFINISHED, unfinished);
        Value most = s.op("aten.max.default", "self", unfinished);
        Value zero = s.op("aten.eq.Scalar", "self", most, "other", 0);
        s.use(most, zero);
    }

    private static SymExpr[] rows(long... further) {
        SymExpr[] out = new SymExpr[further.length + 1];
        out[0] = Request.BATCH;
        for (int i = 0; i < further.length; i++) {
            out[i + 1] = SymExpr.of(further[i]);
        }
        return out;
    }

    private static Value truths(Scope s) {
        return s.op("aten.full.default", "size", rows(), "fill_value", false, "dtype", DType.BOOL);
    }
}
