package dev.headroom.estimator.program;

import dev.headroom.estimator.program.source.FollowedValues;
import dev.headroom.estimator.program.source.ModuleFrames;
import dev.headroom.estimator.program.source.PythonFrame;
import dev.headroom.estimator.program.source.TracedNodes;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.memo.GraphMemo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the program's source lines say about the {@code dtype} arguments of a graph. In an archive of a float32 model
 * {@code x.float()} and {@code x.to(y.dtype)} look the same; the lines in the stack traces tell them apart.
 *
 * <p>Where the line says that the type of a name is taken, it is that of {@link FollowedValues}. Where the source is
 * out of sight, as only {@code forward} functions leave frames, a conversion whose result meets the model's type in a
 * matrix product must lead there.
 */
final class TypeMeanings {
    /** Products that autocast leaves alone. */
    private static final Set<String> GROUPED = Set.of("aten._grouped_mm", "transformers.grouped_mm_fallback");

    /** What decides the type that a call leads to. */
    enum Kind {
        /** The type by name. */
        LITERAL,
        /** None: the tensor keeps its own. */
        SELF,
        /** The type of {@link Meaning#value}, or the model's where that is {@code null}. */
        FOLLOW,
        /** A conversion that nothing is known of. */
        HIDDEN,
        /** The same, and its result meets the model's type. */
        HIDDEN_LOW,
        /** The same, and what is computed from its result meets the model's type. */
        HIDDEN_RUN
    }

    /** @param value whose type is followed, or {@code null} */
    record Meaning(Kind kind, @Nullable String value) {}

    private static final GraphMemo<Map<DType, TypeMeanings>> READ = new GraphMemo<>(g -> new ConcurrentHashMap<>());

    private final List<Node> nodes;
    private final Meaning[] meanings;
    private final List<List<PythonFrame>> frames = new ArrayList<>();
    private final Map<String, Integer> producer = new HashMap<>();
    private final TypeFlow flow;
    private final FollowedValues values;
    private final Map<String, List<Node>> consumers = new HashMap<>();
    private final Set<String> userInputs = new HashSet<>();

    /** @param archive the floating-point type of the archive's parameters: other types are named for their own sake */
    static TypeMeanings of(Graph graph, DType archive) {
        return READ.of(graph).computeIfAbsent(archive, type -> new TypeMeanings(graph, type));
    }

    private TypeMeanings(Graph graph, DType archive) {
        TracedNodes read = TracedNodes.of(graph);
        this.nodes = read.nodes();
        this.meanings = new Meaning[nodes.size()];
        for (Graph.Input in : graph.inputs()) {
            if (in.kind() == Graph.InputKind.USER) {
                userInputs.add(in.value());
            }
        }
        ModuleFrames traced = read.frames();
        for (int i = 0; i < nodes.size(); i++) {
            Node n = nodes.get(i);
            List<PythonFrame> parsed = traced.all().get(i);
            List<PythonFrame> own = traced.ofModules().get(i);
            frames.add(parsed.size() == own.size() ? own : parsed);
            for (String out : n.outputs()) {
                producer.put(out, i);
            }
            for (String used : n.reads()) {
                consumers.computeIfAbsent(used, k -> new ArrayList<>(2)).add(n);
            }
        }
        this.values = new FollowedValues(nodes, frames, producer, userInputs);
        this.flow = new TypeFlow(nodes, producer, consumers);
        for (int i = 0; i < nodes.size(); i++) {
            String of = typeOf(nodes.get(i));
            if (of != null) {
                meanings[i] = new Meaning(Kind.FOLLOW, of);
            } else if (named(nodes.get(i)) == archive) {
                meanings[i] = meaning(i);
            }
        }
    }

    /** The meaning of the type that a node names; {@code null} when it names none, or another than the archive's. */
    Meaning of(int node) {
        return meanings[node];
    }

    /** Where converted values go. */
    TypeFlow flow() {
        return flow;
    }

    /** The node that makes a value, or {@code null} for an input. */
    @Nullable
    Integer producer(String value) {
        return producer.get(value);
    }

    /** The value whose type a node's {@code dtype} is said to be, or {@code null}. */
    private static @Nullable String typeOf(Node n) {
        return n.argument("dtype") instanceof Argument.TypeOf t ? t.value() : null;
    }

    /** The type that a node names, or {@code null}. */
    static @Nullable DType named(Node n) {
        return n.argument("dtype") instanceof Argument.Type t ? t.value() : null;
    }

    /** Whether a node converts a tensor, if to another device alone. */
    static boolean converts(Node n) {
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
        String location = noiseOf(i);
        if (location != null) {
            return new Meaning(Kind.FOLLOW, location);
        }
        Conversion said = said(i);
        if (said != null) {
            return switch (said.kind()) {
                case LITERAL -> new Meaning(Kind.LITERAL, null);
                case SELF -> new Meaning(Kind.SELF, null);
                case FOLLOW -> new Meaning(Kind.FOLLOW, values.of(i, said.of()));
            };
        }
        if (n.target().equals("aten.to.dtype_layout")) {
            return new Meaning(Kind.SELF, null); // how an exporter writes .to(device)
        }
        if (converts(n)) {
            String weight = groupedWeight(n.outputs().get(0));
            if (weight != null) {
                return new Meaning(Kind.FOLLOW, weight);
            }
            return new Meaning(flow.hidden(n.outputs().get(0)), null);
        }
        return creates(n) ? new Meaning(Kind.FOLLOW, values.of(i, "")) : new Meaning(Kind.LITERAL, null);
    }

    /** The weight whose type rows of experts are brought to (transformers, integrations/moe.py, _grouped_mm). */
    private @Nullable String groupedWeight(String value) {
        for (Node n : consumers.getOrDefault(value, List.of())) {
            if (GROUPED.contains(n.operator()) && n.reads().get(0).equals(value)) {
                return n.reads().get(1);
            }
        }
        return null;
    }

    /** What the innermost source line says of the node, or {@code null}. */
    private @Nullable Conversion said(int i) {
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

    private @Nullable PythonFrame line(int i) {
        List<PythonFrame> f = frames.get(i);
        return f.isEmpty() ? null : f.get(f.size() - 1);
    }

    /** The conversions of one statement run in the order in which the line spells them. */
    private @Nullable Conversion byPosition(int i, PythonFrame line, boolean methods, List<Conversion> all) {
        int first = i;
        while (first > 0 && values.sameStatement(first - 1, i, line)) {
            first--;
        }
        int before = 0;
        int count = 0;
        for (int k = first; k < nodes.size() && values.sameStatement(k, i, line); k++) {
            Node n = nodes.get(k);
            boolean own = frames.get(k).size() == frames.get(i).size();
            boolean counts = own && (methods ? converts(n) : !converts(n) && named(n) != null);
            count += counts ? 1 : 0;
            before += counts && k < i ? 1 : 0;
        }
        return count % all.size() == 0 ? all.get(before % all.size()) : null;
    }

    /**
     * The mean that a distribution adds noise to, which has its type (torch/distributions/normal.py, rsample); {@code
     * null} for a node that makes nothing of the kind.
     */
    private @Nullable String noiseOf(int i) {
        Node n = nodes.get(i);
        PythonFrame line = line(i);
        boolean library = line == null
                || line.file().contains("torch/distributions/")
                || !line.text().contains("empty(");
        Node noise = !library || !n.operator().equals("aten.empty") ? null : only(n, "aten.normal_");
        Node scaled = noise == null ? null : only(noise, "aten.mul");
        Node sum = scaled == null ? null : only(scaled, "aten.add");
        return scaled == null || sum == null || sum.reads().size() != 2
                ? null
                : sum.reads().get(sum.reads().get(0).equals(scaled.outputs().get(0)) ? 1 : 0);
    }

    private @Nullable Node only(Node n, String operator) {
        List<Node> readers = consumers.getOrDefault(n.outputs().get(0), List.of());
        return readers.stream()
                .filter(r -> r.operator().equals(operator))
                .findFirst()
                .orElse(null);
    }
}
