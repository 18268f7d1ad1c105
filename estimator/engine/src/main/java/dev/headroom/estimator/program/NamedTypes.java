package dev.headroom.estimator.program;

import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The types that calls name in a run whose types are not the archive's. What a {@code dtype} argument means is read off
 * the source lines ({@link TypeMeanings}); here it is looked up under the types that values have in this run. Where the
 * source is out of sight, a conversion of a value in the model's type goes up to the archive's, and one of any other
 * comes back down.
 */
final class NamedTypes {
    private final List<Node> nodes;
    private final boolean mixed;
    private final DType archive;
    private final DType run;
    private final TypeMeanings meanings;
    private final Set<String> parameters = new HashSet<>();
    private final Set<String> followed = new HashSet<>();
    private final Map<String, DType> types = new HashMap<>();
    private int changes;

    NamedTypes(Graph graph, ModelTypes model) {
        this.nodes = graph.nodes();
        this.mixed = model.mixed();
        this.archive = model.archive();
        this.run = model.run();
        this.meanings = TypeMeanings.of(graph, archive);
        for (Graph.Input in : graph.inputs()) {
            if (in.kind() == Graph.InputKind.PARAMETER) {
                parameters.add(in.value());
            }
        }
        for (int i = 0; i < nodes.size(); i++) {
            TypeMeanings.Meaning meaning = meanings.of(i);
            if (meaning != null && meaning.value() != null) {
                followed.add(meaning.value());
            }
        }
    }

    /**
     * The factor of a product with a parameter that must be in the parameter's type, or {@code null}. The product goes
     * to a matrix product, which takes one type only: where the factor comes in float32, as from the normalisations of
     * transformers that look at their weight's type (models/t5/modeling_t5.py), the program converts it before. A trace
     * in float32 does not hold that branch.
     */
    @Nullable
    String converted(int node) {
        Node n = nodes.get(node);
        if (run == archive || !run.isReducedFloat() || !n.target().equals("aten.mul.Tensor")) {
            return null;
        }
        List<String> factors = n.reads();
        if (factors.size() != 2 || !meanings.flow().meetsModelType(n.outputs().get(0))) {
            return null;
        }
        boolean first = parameters.contains(factors.get(0));
        if (first == parameters.contains(factors.get(1))) {
            return null;
        }
        String factor = factors.get(first ? 1 : 0);
        Integer made = meanings.producer(factor);
        return made == null || TypeMeanings.converts(nodes.get(made)) ? null : factor;
    }

    /**
     * Whether a matrix product of a body without gradients has operands that the program converts to the archive's type
     * by name: it computes there in float32, with autocast off. A trace outside of autocast holds no trace of that
     * (transformers, utils/generic.py, maybe_autocast).
     */
    boolean keepsOutOfAutocast(int node) {
        Node n = nodes.get(node);
        return TypeFlow.needsOneType(n) && n.reads().stream().allMatch(this::convertedByName);
    }

    private boolean convertedByName(String value) {
        Integer made = meanings.producer(value);
        if (made == null) {
            return false;
        }
        Node n = nodes.get(made);
        boolean otherType = meanings.of(made) == null && TypeMeanings.named(n) == DType.FLOAT32;
        boolean literal = meanings.of(made) != null && meanings.of(made).kind() == TypeMeanings.Kind.LITERAL;
        if (TypeMeanings.converts(n) && (literal || otherType)) {
            return true;
        }
        boolean same = TypeMeanings.converts(n)
                && meanings.of(made) != null
                && meanings.of(made).kind() == TypeMeanings.Kind.SELF;
        return (same || TypeFlow.keepsType(n)) && convertedByName(n.reads().get(0));
    }

    /** Remembers the types that others follow. */
    void note(Map<String, Tensor> values) {
        followed.forEach(name -> note(name, values.get(name)));
    }

    /** Remembers the type of a value that others follow. */
    void note(String name, @Nullable Tensor t) {
        if (t != null) {
            note(name, t.dtype());
        }
    }

    /** The same of a value of known type. */
    void note(String name, DType type) {
        if (followed.contains(name)) {
            changes += types.put(name, type) == type ? 0 : 1;
        }
    }

    /** How often a type was noted that was not known so before. */
    int changes() {
        return changes;
    }

    /**
     * The type that a call names under this run, or {@code null} for the one that the archive says.
     *
     * @param self the type of the tensor that is converted, or {@code null}
     * @param lower autocast's type, or {@code null} when it is off
     */
    @Nullable
    DType at(int node, @Nullable DType self, @Nullable DType lower) {
        TypeMeanings.Meaning m = meanings.of(node);
        if (m == null || !mixed && TypeMeanings.named(nodes.get(node)) != null) {
            return null; // a run in the archive's own types does what the archive says
        }
        DType low = run != archive ? run : lower == null ? archive : lower;
        return switch (m.kind()) {
            case LITERAL -> null;
            case SELF -> self == null ? run : self;
            case FOLLOW -> followedType(m.value());
            case HIDDEN_LOW -> low;
            case HIDDEN_RUN -> run != archive ? run : null;
            case HIDDEN -> restores(self) ? run : null;
        };
    }

    /** A conversion of integers makes the type that it names, as one of values in the model's type does. */
    private boolean restores(@Nullable DType self) {
        return run != archive && self != null && self.isFloatingPoint() && self != run;
    }

    private DType followedType(@Nullable String value) {
        DType t = value == null ? null : types.get(value);
        return t == null || !t.isFloatingPoint() ? run : t;
    }
}
