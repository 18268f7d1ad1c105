package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;

/**
 * What a family does with its head's scores before it takes the loss of them.
 *
 * @param kind of change
 * @param number that it takes
 * @param biased whether the head has a bias
 */
public record Scores(Kind kind, double number, boolean biased) {
    /** Changes of scores. */
    private enum Kind {
        NONE,
        CAPPED,
        DIVIDED,
        MULTIPLIED,
        WIDENED
    }

    /** As they are. */
    public static final Scores PLAIN = new Scores(Kind.NONE, 0, false);

    /** Bent by a hyperbolic tangent; 0 for none. */
    public static Scores capped(double cap) {
        return cap == 0 ? PLAIN : new Scores(Kind.CAPPED, cap, false);
    }

    /** Divided by a number. */
    public static Scores divided(double by) {
        return new Scores(Kind.DIVIDED, by, false);
    }

    /** Multiplied by a number. */
    public static Scores multiplied(double by) {
        return new Scores(Kind.MULTIPLIED, by, false);
    }

    /** Copied to float32, by a head that is given states of its weight's type. */
    public static Scores widened() {
        return new Scores(Kind.WIDENED, 0, false);
    }

    /** Of a head with a bias. */
    public static Scores ofBiasedHead() {
        return new Scores(Kind.NONE, 0, true);
    }

    /** What the head is given. */
    Value before(Scope s, Layer head, Value states) {
        return kind == Kind.WIDENED
                ? s.op(
                        "aten.to.dtype",
                        "self",
                        states,
                        "dtype",
                        new Argument.TypeOf(s.parameter(head, "weight").name()))
                : states;
    }

    /** Writes it. */
    Value write(Scope s, Value logits) {
        return switch (kind) {
            case NONE -> logits;
            case WIDENED -> s.op("aten.to.dtype", "self", logits, "dtype", DType.FLOAT32);
            case CAPPED -> AttentionCall.capped(s, "logits", logits, number);
            case DIVIDED -> {
                s.line("logits = logits / scaling");
                yield s.op("aten.div.Tensor", "self", logits, "other", number);
            }
            case MULTIPLIED -> {
                s.line("logits = logits * self.logit_scale");
                yield s.op("aten.mul.Tensor", "self", logits, "other", number);
            }
        };
    }
}
