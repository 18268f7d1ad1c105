package dev.headroom.estimator.program;

import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the {@code dtype} argument of a call means when the run's types are not the archive's. In an archive of a float32
 * model {@code x.float()} and {@code x.to(y.dtype)} look the same; the source lines in the stack traces tell them apart.
 *
 * <p>Where the line says that the type of a name is taken: that of the value which the same call of the module assigned
 * to the name last, else that of the module's own input. Where the source is out of sight (only {@code forward}
 * functions leave frames), a conversion whose result meets the model's type in a matrix product must lead there; else
 * one of a value in the model's type goes up to the archive's, and one of any other comes back down.
 */
final class NamedTypes {
    private static final Set<String> SAME_TYPES = Set.of(
            "aten.matmul",
            "aten.bmm",
            "aten.mm",
            "aten.linear",
            "aten.addmm",
            "aten.baddbmm",
            "aten.einsum",
            "aten.scaled_dot_product_attention");

    private static final Set<String> TYPE_KEEPING = Set.of(
            "aten.dropout",
            "aten.view",
            "aten.reshape",
            "aten.transpose",
            "aten.permute",
            "aten.contiguous",
            "aten.expand",
            "aten.clone",
            "aten.unsqueeze",
            "aten.squeeze");

    private enum Kind {
        LITERAL,
        SELF,
        /** The type of {@link Meaning#value}, or the model's where that is {@code null}. */
        FOLLOW,
        /** A conversion that nothing is known of. */
        HIDDEN,
        /** The same, and its result meets the model's type. */
        HIDDEN_LOW
    }

    private record Meaning(Kind kind, String value) {}

    private final List<Node> nodes;
    private final DType archive;
    private final DType run;
    private final Meaning[] meanings;
    private final List<List<PythonFrame>> frames = new ArrayList<>();
    private final Map<String, Integer> producer = new HashMap<>();
    private final Map<String, List<Node>> consumers = new HashMap<>();
    private final Set<String> userInputs = new HashSet<>();
    private final Set<String> parameters = new HashSet<>();
    private final Set<String> followed = new HashSet<>();
    private final Map<String, DType> types = new HashMap<>();

    /** @param run the floating-point type of the model's parameters in this run */
    NamedTypes(Graph graph, DType archive, DType run) {
        this.nodes = graph.nodes();
        this.archive = archive;
        this.run = run;
        this.meanings = new Meaning[nodes.size()];
        for (Graph.Input in : graph.inputs()) {
            if (in.kind() == Graph.InputKind.USER) {
                userInputs.add(in.value());
            } else if (in.kind() == Graph.InputKind.PARAMETER) {
                parameters.add(in.value());
            }
        }
        for (int i = 0; i < nodes.size(); i++) {
            Node n = nodes.get(i);
            frames.add(PythonFrame.parse(n.stackTrace()));
            for (String out : n.outputs()) {
                producer.put(out, i);
            }
            for (String used : n.reads()) {
                consumers.computeIfAbsent(used, k -> new ArrayList<>(2)).add(n);
            }
        }
        for (int i = 0; i < nodes.size(); i++) {
            if (named(nodes.get(i)) == archive) {
                meanings[i] = meaning(i);
                if (meanings[i].value() != null) {
                    followed.add(meanings[i].value());
                }
            }
        }
    }

    private static DType named(Node n) {
        for (Node.NamedArgument a : n.arguments()) {
            if (a.name().equals("dtype") && a.value() instanceof Argument.Type t) {
                return t.value();
            }
        }
        return null;
    }

    private static boolean converts(Node n) {
        return n.operator().equals("aten.to") || n.operator().equals("aten._to_copy");
    }

    private static boolean creates(Node n) {
        String op = n.operator();
        return op.startsWith("aten.new_")
                || op.endsWith("_like")
                || Set.of(
                                "aten.zeros",
                                "aten.ones",
                                "aten.empty",
                                "aten.full",
                                "aten.rand",
                                "aten.randn",
                                "aten.arange")
                        .contains(op);
    }

    private Meaning meaning(int i) {
        Node n = nodes.get(i);
        Conversion said = said(i);
        if (said != null) {
            return switch (said.kind()) {
                case LITERAL -> new Meaning(Kind.LITERAL, null);
                case SELF -> new Meaning(Kind.SELF, null);
                case FOLLOW -> new Meaning(Kind.FOLLOW, followed(i, said.of()));
            };
        }
        if (n.target().equals("aten.to.dtype_layout")) {
            return new Meaning(Kind.SELF, null); // how an exporter writes .to(device)
        }
        if (converts(n)) {
            return new Meaning(meetsModelType(n.outputs().get(0)) ? Kind.HIDDEN_LOW : Kind.HIDDEN, null);
        }
        return creates(n) ? new Meaning(Kind.FOLLOW, followed(i, "")) : new Meaning(Kind.LITERAL, null);
    }

    /** What the innermost source line says of the node, or {@code null}. */
    private Conversion said(int i) {
        PythonFrame line = line(i);
        if (line == null) {
            return null;
        }
        boolean methods = converts(nodes.get(i));
        List<Conversion> all = methods ? Conversion.methods(line.text()) : Conversion.arguments(line.text());
        if (all == null || all.isEmpty()) {
            return null;
        }
        return all.stream().distinct().count() == 1 ? all.get(0) : byPosition(i, line, methods, all);
    }

    private PythonFrame line(int i) {
        List<PythonFrame> f = frames.get(i);
        return f.isEmpty() ? null : f.get(f.size() - 1);
    }

    /** The conversions of one statement run in the order in which the line spells them. */
    private Conversion byPosition(int i, PythonFrame line, boolean methods, List<Conversion> all) {
        int first = i;
        while (first > 0 && sameStatement(first - 1, i, line)) {
            first--;
        }
        int before = 0;
        int count = 0;
        for (int k = first; k < nodes.size() && sameStatement(k, i, line); k++) {
            Node n = nodes.get(k);
            boolean counts = methods ? converts(n) : !converts(n) && named(n) != null;
            count += counts ? 1 : 0;
            before += counts && k < i ? 1 : 0;
        }
        return count % all.size() == 0 ? all.get(before % all.size()) : null;
    }

    private boolean sameStatement(int a, int b, PythonFrame line) {
        return line.equals(line(a)) && call(a).equals(call(b));
    }

    private String call(int i) {
        List<Node.ModuleCall> stack = nodes.get(i).moduleStack();
        return stack.isEmpty() ? "" : stack.get(stack.size() - 1).call();
    }

    private boolean inCall(int i, String call) {
        return nodes.get(i).moduleStack().stream().anyMatch(c -> c.call().equals(call));
    }

    /** The value whose type a name stands for, or {@code null} for the model's own type. */
    private String followed(int i, String name) {
        if (name.startsWith("self.")) {
            return null;
        }
        String call = call(i);
        int depth = nodes.get(i).moduleStack().size() - 1;
        int begin = i;
        while (begin > 0 && inCall(begin - 1, call)) {
            begin--;
            List<PythonFrame> f = frames.get(begin);
            if (!name.isEmpty()
                    && depth >= 0
                    && f.size() > depth
                    && f.get(depth).assigned().contains(name)) {
                return floating(nodes.get(begin));
            }
        }
        for (int k = begin; k < nodes.size() && inCall(k, call); k++) {
            for (String used : nodes.get(k).reads()) {
                Integer made = producer.get(used);
                if (made != null ? made < begin : userInputs.contains(used)) {
                    return used;
                }
            }
        }
        return null;
    }

    private static String floating(Node n) {
        for (String out : n.outputs()) {
            if (out != null) {
                return out;
            }
        }
        return null;
    }

    private boolean meetsModelType(String value) {
        for (Node n : consumers.getOrDefault(value, List.of())) {
            if (SAME_TYPES.contains(n.operator())) {
                return true;
            }
            if (TYPE_KEEPING.contains(n.operator())
                    && meetsModelType(n.outputs().get(0))) {
                return true;
            }
        }
        return false;
    }

    /**
     * The factor of a product with a parameter that must be in the parameter's type, or {@code null}. The product goes
     * to a matrix product, which takes one type only: where the factor comes in float32, as from the normalisations of
     * transformers that look at their weight's type (models/t5/modeling_t5.py), the program converts it before. A trace
     * in float32 does not hold that branch.
     */
    String converted(int node) {
        Node n = nodes.get(node);
        if (run == archive || !run.isReducedFloat() || !n.target().equals("aten.mul.Tensor")) {
            return null;
        }
        List<String> factors = n.reads();
        if (factors.size() != 2 || !meetsModelType(n.outputs().get(0))) {
            return null;
        }
        boolean first = parameters.contains(factors.get(0));
        if (first == parameters.contains(factors.get(1))) {
            return null;
        }
        String factor = factors.get(first ? 1 : 0);
        Integer made = producer.get(factor);
        return made == null || converts(nodes.get(made)) ? null : factor;
    }

    /**
     * Whether a matrix product of a body without gradients has operands that the program converts to the archive's type
     * by name: it computes there in float32, with autocast off. A trace outside of autocast holds no trace of that
     * (transformers, utils/generic.py, maybe_autocast).
     */
    boolean keepsOutOfAutocast(int node) {
        Node n = nodes.get(node);
        return SAME_TYPES.contains(n.operator()) && n.reads().stream().allMatch(this::convertedByName);
    }

    private boolean convertedByName(String value) {
        Integer made = producer.get(value);
        if (made == null) {
            return false;
        }
        Node n = nodes.get(made);
        if (converts(n) && meanings[made] != null && meanings[made].kind() == Kind.LITERAL) {
            return true;
        }
        boolean same = converts(n) && meanings[made] != null && meanings[made].kind() == Kind.SELF;
        return (same || TYPE_KEEPING.contains(n.operator()))
                && convertedByName(n.reads().get(0));
    }

    /** Remembers the types that others follow. */
    void note(Map<String, Tensor> values) {
        followed.forEach(name -> note(name, values.get(name)));
    }

    /** Remembers the type of a value that others follow. */
    void note(String name, Tensor t) {
        if (t != null && followed.contains(name)) {
            types.put(name, t.dtype());
        }
    }

    /**
     * The type that a call names under this run, or {@code null} for the one that the archive says.
     *
     * @param self the tensor that is converted, or {@code null}
     * @param lower autocast's type, or {@code null} when it is off
     */
    DType at(int node, Tensor self, DType lower) {
        Meaning m = meanings[node];
        if (m == null) {
            return null;
        }
        DType low = run != archive ? run : lower == null ? archive : lower;
        return switch (m.kind()) {
            case LITERAL -> null;
            case SELF -> self == null ? run : self.dtype();
            case FOLLOW -> followedType(m.value());
            case HIDDEN_LOW -> low;
            case HIDDEN -> restores(self) ? run : null;
        };
    }

    /** A conversion of integers makes the type that it names, as one of values in the model's type does. */
    private boolean restores(Tensor self) {
        return run != archive && self != null && self.dtype().isFloatingPoint() && self.dtype() != run;
    }

    private DType followedType(String value) {
        DType t = value == null ? null : types.get(value);
        return t == null || !t.isFloatingPoint() ? run : t;
    }
}
