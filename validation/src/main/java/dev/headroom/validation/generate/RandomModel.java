package dev.headroom.validation.generate;

import dev.headroom.model.dsl.Model;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import java.util.List;

/**
 * A well-formed model.
 *
 * @param input sizes of one sample
 * @param vocabulary what the input's ids are below, or 0: it is floating point
 * @param output sizes of the result for one sample; none for a loss
 */
public record RandomModel(List<Long> input, long vocabulary, RandomLayer root, List<Long> output) {
    /** Its graph in training, with an open batch size. */
    public Graph graph() {
        return graph(true);
    }

    /** Its graph, with an open batch size. */
    public Graph graph(boolean training) {
        long[] sizes = new long[input.size() + 1];
        sizes[0] = Model.BATCH;
        for (int i = 1; i < sizes.length; i++) {
            sizes[i] = input.get(i - 1);
        }
        DType type = vocabulary > 0 ? DType.INT64 : DType.FLOAT32;
        Model model = Model.of("random", Modules.of(root)).input("x", type, sizes);
        if (returnsLoss()) {
            model.input("labels", type, sizes);
        }
        return training ? model.graph() : model.eval().graph();
    }

    /** Whether its result is a loss. */
    public boolean returnsLoss() {
        return root instanceof RandomLayer.LanguageModel l && l.loss();
    }
}
