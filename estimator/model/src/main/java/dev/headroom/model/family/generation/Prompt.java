package dev.headroom.model.family.generation;

import static dev.headroom.model.family.generation.Names.ATTENTION_MASK;
import static dev.headroom.model.family.generation.Names.INPUT_IDS;
import static dev.headroom.model.family.generation.Names.POSITION_IDS;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;

/** From the call of {@code generate()} to the end of the pass over the prompt. */
final class Prompt {
    private final ModelInputs inputs;
    private final boolean beginsWithToken;

    /** @param beginsWithToken whether the config names a token that sequences begin with */
    Prompt(ModelInputs inputs, boolean beginsWithToken) {
        this.inputs = inputs;
        this.beginsWithToken = beginsWithToken;
    }

    /** @param several whether the batch has more than one sequence */
    Value[] write(Scope s, Layer model, boolean several) {
        Value ids = new Value(INPUT_IDS);
        Value mask = new Value(ATTENTION_MASK);
        if (beginsWithToken) {
            s.bind("bos_token", token(s));
        }
        s.bind("pad_token", token(s));
        if (several) {
            looksForPadding(s, mask);
        }
        Value positions = positions(s, mask);
        s.bind("generate_position_ids", positions);
        s.bind(Names.KWARGS_POSITIONS, positions);
        s.bind(Names.KWARGS_MASK, mask);
        s.bind(Names.TOKENS, ids);
        s.bind(
                Names.UNFINISHED,
                s.op("aten.ones.default", "size", new SymExpr[] {Request.BATCH}, "dtype", DType.INT64));
        Value cloned = s.op("aten.clone.default", "self", ids);
        s.let(POSITION_IDS, positions);
        s.let(ATTENTION_MASK, mask);
        inputs.bindMasks(s, inputs.prepare(s, cloned, positions));
        s.bind(Names.MODEL_IDS, cloned);
        s.bind(Names.LOGITS, s.results(model, cloned)[0]);
        return new Value[0];
    }

    private static Value token(Scope s) {
        return s.op("aten.scalar_tensor.default", "s", 0, "dtype", DType.INT64);
    }

    /** {@code torch.any(attention_mask[:, -1] == 0)}. */
    private static void looksForPadding(Scope s, Value mask) {
        Value last = s.op("aten.select.int", "self", mask, "dim", 1, "index", -1);
        Value zeros = s.op("aten.eq.Scalar", "self", last, "other", 0);
        Value any = s.op("aten.any.default", "self", zeros);
        s.use(zeros, any);
    }

    /** {@code _prepare_position_ids_for_generation}. */
    private static Value positions(Scope s, Value mask) {
        Value sums = s.op("aten.cumsum.default", "self", mask, "dim", -1);
        Value counted = s.op("aten.sub.Tensor", "self", sums, "other", 1);
        Value zeros = s.op("aten.eq.Scalar", "self", mask, "other", 0);
        Value filled = s.op("aten.masked_fill.Scalar", "self", counted, "mask", zeros, "value", 0);
        s.use(zeros, counted);
        return filled;
    }
}
