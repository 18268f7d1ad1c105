package dev.headroom.model.compiled;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Graph.InputKind;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The order in which modules hold their tensors, in which {@code model.cuda()} moves them. A plan has them in the order
 * of their first use, which differs within a module: batch normalisation counts its batches before it reads its
 * weights (torch/nn/modules/batchnorm.py), and some products read the bias first, as transformers' {@code Conv1D}.
 */
final class RegistrationOrder {
    /** {@code num_batches_tracked}, running mean and variance, weight and bias. */
    private static final int NORMALISATION = 5;

    private final List<Graph.Input> used;
    private final Map<String, TensorMeta> values;
    private final Map<String, String> weights;

    private RegistrationOrder(List<Graph.Input> used, Map<String, TensorMeta> values, Map<String, String> weights) {
        this.used = used;
        this.values = values;
        this.weights = weights;
    }

    /**
     * The same inputs in the order of their modules, as far as a module's own tensors go.
     *
     * @param weights the value of the weight that is multiplied before a bias is added, by the bias's value
     */
    static List<Graph.Input> of(List<Graph.Input> used, Map<String, TensorMeta> values, Map<String, String> weights) {
        return new RegistrationOrder(used, values, weights).ordered();
    }

    private List<Graph.Input> ordered() {
        List<Graph.Input> out = new ArrayList<>();
        int i = 0;
        while (i < used.size()) {
            if (isNormalisation(i)) {
                out.addAll(used.subList(i + 3, i + NORMALISATION));
                out.addAll(used.subList(i + 1, i + 3));
                out.add(used.get(i));
                i += NORMALISATION;
            } else if (isBiasOfNext(i)) {
                out.add(used.get(i + 1));
                out.add(used.get(i));
                i += 2;
            } else {
                out.add(used.get(i++));
            }
        }
        return out;
    }

    private boolean isNormalisation(int i) {
        if (i + NORMALISATION > used.size() || dims(i) != 0 || meta(i).dtype() != DType.INT64) {
            return false;
        }
        boolean same = true;
        for (int k = i + 1; k < i + NORMALISATION; k++) {
            same &= dims(k) == 1 && meta(k).sizes().equals(meta(i + 1).sizes());
        }
        return same
                && used.get(i + 1).kind() == InputKind.BUFFER
                && used.get(i + 3).kind() == InputKind.PARAMETER;
    }

    private boolean isBiasOfNext(int i) {
        String weight = weights.get(used.get(i).value());
        return weight != null && i + 1 < used.size() && used.get(i + 1).value().equals(weight);
    }

    private TensorMeta meta(int i) {
        return Objects.requireNonNull(values.get(used.get(i).value()));
    }

    private int dims(int i) {
        return meta(i).sizes().size();
    }
}
