package dev.headroom.estimator.compile;

import dev.headroom.estimator.op.core.AutocastPolicy;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The types of what operators around compiled blocks make under autocast. */
final class EagerTypes {
    private static final Set<String> PROMOTES = Set.of("aten.add", "aten.sub", "aten.mul", "aten.div", "aten.cat");

    private EagerTypes() {}

    /**
     * The type of results that are floating-point numbers.
     *
     * @param archived what the archive says
     * @param types of values, {@code null} for those without
     */
    static DType of(Node node, DType amp, DType archived, Function<String, @Nullable DType> types) {
        AutocastPolicy policy = AutocastPolicy.of(node.target());
        List<DType> given = new ArrayList<>();
        for (String read : node.reads()) {
            DType type = types.apply(read);
            if (type != null && type.isFloatingPoint()) {
                given.add(type);
            }
        }
        if (policy == AutocastPolicy.LOWER) {
            return amp;
        }
        if (policy == AutocastPolicy.FLOAT32 || policy == AutocastPolicy.FLOAT32_TYPE || given.isEmpty()) {
            return archived;
        }
        boolean widest = policy == AutocastPolicy.PROMOTE || PROMOTES.contains(node.operator());
        return widest && given.contains(DType.FLOAT32) ? DType.FLOAT32 : given.get(0);
    }
}
