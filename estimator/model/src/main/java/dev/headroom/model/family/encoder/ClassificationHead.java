package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.head.Tasks;
import org.jspecify.annotations.Nullable;

/**
 * {@code RobertaClassificationHead}, {@code ElectraClassificationHead}: labels of the first token, with a layer
 * between.
 */
final class ClassificationHead extends Layer {
    private final String type;
    private final Layer dense;
    private final @Nullable Layer activation;
    private final Layer dropout;
    private final Layer out;

    /** @param activation a module; {@code null} for {@code torch.tanh} */
    ClassificationHead(String type, Shape shape, ModelConfig c, @Nullable Layer activation) {
        this.type = type;
        dense = child("dense", Layers.linear(shape.width(), shape.width()));
        this.activation = activation == null ? null : child("activation", activation);
        dropout = child("dropout", Layers.dropout(Classifier.dropped(c)));
        out = child("out_proj", Layers.linear(shape.width(), Tasks.classes(c)));
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("x = features[:, 0, :]");
        Value x = s.op("aten.select.int", "self", in[0], "dim", 1, "index", 0);
        s.line("x = self.dropout(x)");
        x = s.call(dropout, x);
        s.line("x = self.dense(x)");
        x = s.call(dense, x);
        if (activation == null) {
            s.line("x = torch.tanh(x)");
            x = s.op("aten.tanh.default", "self", x);
        } else {
            s.line("x = self.activation(x)");
            x = s.call(activation, x);
        }
        s.line("x = self.dropout(x)");
        x = s.call(dropout, x);
        s.line("x = self.out_proj(x)");
        return s.call(out, x);
    }
}
