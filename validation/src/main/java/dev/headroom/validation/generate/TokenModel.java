package dev.headroom.validation.generate;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A model of token ids; see {@link RandomLayer.LanguageModel}. */
final class TokenModel extends Layer {
    private final RandomLayer.LanguageModel options;
    private final Layer body;
    private final @Nullable Layer head;

    TokenModel(RandomLayer.LanguageModel options) {
        this.options = options;
        // The embedding's weight is this module's own, because a tied head reads it, too.
        parameter("embedding", options.vocabulary(), options.width());
        parameter("position", options.length(), options.width());
        body = child("body", Modules.of(options.body()));
        head = options.tied() ? null : child("head", Layers.linear(options.width(), options.vocabulary(), false));
    }

    @Override
    protected Value forward(Scope scope, Value... inputs) {
        scope.line("x = F.embedding(ids, self.embedding) + self.position");
        Value rows = scope.op(
                "aten.embedding.default", Map.of("weight", scope.parameter("embedding"), "indices", inputs[0]));
        Value x = scope.op("aten.add.Tensor", Map.of("self", rows, "other", scope.parameter("position")));
        scope.line("x = self.body(x)");
        x = scope.call(body, x);
        Value scores = scores(scope, x);
        if (!options.loss()) {
            return scores;
        }
        scope.line("return F.cross_entropy(scores.view(-1, self.vocabulary), labels.view(-1))");
        Value flat =
                scope.op("aten.view.default", Map.of("self", scores, "size", new long[] {-1, options.vocabulary()}));
        Value labels = scope.op("aten.view.default", Map.of("self", inputs[1], "size", new long[] {-1}));
        return scope.op("aten.cross_entropy_loss.default", Map.of("self", flat, "target", labels));
    }

    private Value scores(Scope scope, Value x) {
        if (head == null) {
            scope.line("scores = F.linear(x, self.embedding)");
            return scope.op("aten.linear.default", Map.of("input", x, "weight", scope.parameter("embedding")));
        }
        scope.line("scores = self.head(x)");
        return scope.call(head, x);
    }
}
