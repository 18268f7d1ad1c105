package dev.headroom.validation.runs;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.Locale;

/** The classes of models by which errors are told apart, recognised by operators. */
public enum ModelClass {
    /** Has recurrent layers. */
    RECURRENT,
    /** Has attention. */
    TRANSFORMER,
    /** Has convolutions. */
    CNN,
    /** Anything else. */
    DENSE;

    /** The word in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The first class that fits, in the order of declaration. */
    public static ModelClass of(Graph graph) {
        boolean convolution = false;
        boolean softmax = false;
        boolean attention = false;
        for (Node node : graph.nodes()) {
            String operator = node.target();
            if (operator.matches("aten\\.(quantized_)?(gru|lstm|rnn_tanh|rnn_relu)(_cell)?\\..*")) {
                return RECURRENT;
            }
            attention |= operator.startsWith("aten.scaled_dot_product_attention");
            softmax |= operator.startsWith("aten.softmax") || operator.startsWith("aten._softmax");
            convolution |= operator.startsWith("aten.conv");
        }
        // Attention that is written out is a softmax between two products; a classifier without convolutions has none.
        if (attention || softmax && !convolution) {
            return TRANSFORMER;
        }
        return convolution ? CNN : DENSE;
    }
}
