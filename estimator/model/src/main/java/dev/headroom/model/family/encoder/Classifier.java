package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.Losses;
import dev.headroom.model.family.head.Tasks;
import org.jspecify.annotations.Nullable;

/** An encoder whose sequences or tokens are classified. */
final class Classifier extends SeveralResults {
    private final String type;
    private final Request request;
    private final Layer encoder;
    private final boolean pooled;
    private final boolean drops;
    private final Layer dropout;
    private final Layer classifier;
    private final long classes;

    /**
     * @param type class name
     * @param base the name of the encoder's module
     * @param pooled classifies what the encoder's pooler made
     * @param head classifies; {@code null}: dropout and a linear layer
     */
    Classifier(String type, Request request, String base, Layer encoder, boolean pooled, @Nullable Layer head) {
        this.type = type;
        this.request = request;
        this.pooled = pooled;
        ModelConfig c = request.config();
        classes = Tasks.classes(c);
        this.encoder = child(base, encoder);
        drops = head == null;
        dropout = Layers.dropout(dropped(c));
        if (head == null) {
            child("dropout", dropout);
        }
        classifier = child("classifier", head == null ? Layers.linear(c.size("hidden_size"), classes) : head);
        if (Bert.headFirst(request)) {
            moveLast(base);
        }
    }

    static double dropped(ModelConfig c) {
        return c.number("classifier_dropout", c.number("hidden_dropout_prob", 0.1));
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("outputs = self.base(input_ids, attention_mask)");
        Value[] made = s.results(encoder, in[0]);
        Value x = made[pooled ? 1 : 0];
        if (drops) {
            s.line("pooled_output = self.dropout(pooled_output)");
            x = s.call(dropout, x);
        }
        s.line("logits = self.classifier(pooled_output)");
        Value logits = s.call(classifier, x);
        Value[] out = Losses.scored(s, request.labelled(), logits, classes);
        s.use(made); // outputs
        return out;
    }
}
