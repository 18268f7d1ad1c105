package dev.headroom.model.family.head;

import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.Map;

/** The losses of heads that classify (transformers, loss/loss_utils.py, and the models' own lines). */
public final class Losses {
    private static final long[] ALL = {-1};

    private Losses() {}

    /** {@code CrossEntropyLoss()(logits.view(-1, classes), labels.view(-1))}. */
    public static Value loss(Scope s, Value logits, long classes) {
        s.line("loss = loss_fct(logits.view(-1, num_labels), labels.view(-1))");
        Value rows = s.op("aten.view.default", "self", logits, "size", new long[] {-1, classes});
        Value wanted = s.op("aten.view.default", "self", s.given("labels"), "size", ALL);
        return entropy(s, rows, wanted);
    }

    private static Value entropy(Scope s, Value rows, Value wanted) {
        return s.scalar(s.op("aten.cross_entropy_loss.default", "self", rows, "target", wanted), DType.FLOAT32);
    }

    /** {@code ForImageClassification}: a sum over the number of labels where a Trainer counts them. */
    public static Value counted(Scope s, Value logits, long classes) {
        s.line("loss = self.loss_function(labels, logits, self.config)");
        Value rows = s.op("aten.view.default", "self", logits, "size", new long[] {-1, classes});
        Value wanted = s.op("aten.view.default", "self", s.given("labels"), "size", ALL);
        return entropy(s, rows, wanted);
    }

    /** {@code ForTokenClassification}: of scores in float32, and a mean whatever a Trainer counts. */
    public static Value tokens(Scope s, Value logits, long classes) {
        s.line("loss = self.token_loss(logits, labels, self.config)");
        return s.function("ForTokenClassification", () -> {
            s.line("logits = logits.view(-1, config.num_labels)");
            Value rows = s.op("aten.view.default", "self", logits, "size", new long[] {-1, classes});
            s.line("labels = labels.view(-1)");
            Value wanted = s.op("aten.view.default", "self", s.given("labels"), "size", ALL);
            s.line("logits = logits.float()");
            Value wide = s.op("aten.to.dtype", "self", rows, "dtype", DType.FLOAT32);
            s.line("return fixed_cross_entropy(logits, labels)");
            return entropy(s, wide, wanted);
        });
    }

    /** The loss, if there are labels, and the scores. */
    public static Value[] scored(Scope s, boolean labelled, Value logits, long classes) {
        return labelled ? new Value[] {loss(s, logits, classes), logits} : new Value[] {logits};
    }

    /**
     * Where answers begin and end, two scores a token, each in a tensor of its own, and the loss in front if there are
     * labels.
     */
    public static Value[] spans(Scope s, boolean labelled, Value logits) {
        s.line("start_logits, end_logits = logits.split(1, dim=-1)");
        Value[] two = s.ops("aten.split.Tensor", 2, arguments("self", logits, "split_size", 1, "dim", -1));
        s.line("start_logits = start_logits.squeeze(-1).contiguous()");
        Value first = contiguous(s, two[0]);
        s.line("end_logits = end_logits.squeeze(-1).contiguous()");
        Value last = contiguous(s, two[1]);
        if (!labelled) {
            return new Value[] {first, last};
        }
        s.line("loss = self.span_loss(start_logits, end_logits, start_positions, end_positions)");
        Value loss = s.function("ForQuestionAnsweringLoss", () -> {
            s.line("start_positions = start_positions.clamp(0, ignored_index)");
            Value begins = inside(s, "start_positions");
            s.line("end_positions = end_positions.clamp(0, ignored_index)");
            Value ends = inside(s, "end_positions");
            s.line("start_loss = loss_fct(start_logits, start_positions)");
            Value ofFirst = where(s, first, begins);
            s.line("end_loss = loss_fct(end_logits, end_positions)");
            Value ofLast = where(s, last, ends);
            s.line("total_loss = (start_loss + end_loss) / 2");
            Value sum = s.op("aten.add.Tensor", "self", ofFirst, "other", ofLast);
            return s.scalar(s.op("aten.div.Tensor", "self", sum, "other", 2), DType.FLOAT32);
        });
        return new Value[] {loss, first, last};
    }

    private static Value contiguous(Scope s, Value column) {
        Value flat = s.op("aten.squeeze.dim", "self", column, "dim", -1);
        return s.op("aten.contiguous.default", "self", flat);
    }

    private static Value inside(Scope s, String positions) {
        return s.op("aten.clamp.default", "self", s.given(positions), "min", 0, "max", Request.SEQ);
    }

    private static Value where(Scope s, Value scores, Value positions) {
        Map<String, Object> call = arguments("self", scores, "target", positions);
        call.put("ignore_index", Request.SEQ);
        return s.op("aten.cross_entropy_loss.default", call);
    }

    /** {@code x[torch.arange(batch), index]}, one row of a sequence's. */
    static Value picked(Scope s, Value x, Value index) {
        SymExpr batch = Request.BATCH;
        Value rows = s.op("aten.arange.default", "end", batch);
        return s.op("aten.index.Tensor", "self", x, "indices", new Value[] {rows, index});
    }
}
