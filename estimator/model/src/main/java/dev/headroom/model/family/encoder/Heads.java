package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;

/** The losses of heads that classify. */
public final class Heads {
    private Heads() {}

    /** {@code CrossEntropyLoss()(logits.view(-1, classes), labels.view(-1))}. */
    public static Value loss(Scope s, Value logits, long classes) {
        s.line("loss = loss_fct(logits.view(-1, num_labels), labels.view(-1))");
        Value rows = s.op("aten.view.default", "self", logits, "size", new long[] {-1, classes});
        Value wanted = s.op("aten.view.default", "self", s.given("labels"), "size", new long[] {-1});
        Value loss = s.op("aten.cross_entropy_loss.default", "self", rows, "target", wanted);
        return s.scalar(loss, DType.FLOAT32);
    }

    /** The loss, if there are labels, and the scores. */
    static Value[] scored(Scope s, boolean labelled, Value logits, long classes) {
        return labelled ? new Value[] {loss(s, logits, classes), logits} : new Value[] {logits};
    }
}
