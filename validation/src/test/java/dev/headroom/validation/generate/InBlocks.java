package dev.headroom.validation.generate;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;

/** A random chain as the blocks of a model, which are wrapped one by one; other models as they are. */
final class InBlocks {
    private InBlocks() {}

    static Graph of(RandomModel model) {
        if (!(model.root() instanceof RandomLayer.Chain)) {
            return model.graph();
        }
        long[] sizes = new long[model.input().size() + 1];
        sizes[0] = Model.BATCH;
        for (int i = 1; i < sizes.length; i++) {
            sizes[i] = model.input().get(i - 1);
        }
        return Model.of("random", new Whole(Modules.of(model.root())))
                .input("x", DType.FLOAT32, sizes)
                .graph();
    }

    private static final class Whole extends Layer {
        private final Layer blocks;

        private Whole(Layer chain) {
            blocks = child("blocks", chain);
        }

        @Override
        protected Value forward(Scope scope, Value... inputs) {
            scope.line("return self.blocks(x)");
            return scope.call(blocks, inputs[0]);
        }
    }
}
