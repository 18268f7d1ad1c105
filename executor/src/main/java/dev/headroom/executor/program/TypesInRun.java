package dev.headroom.executor.program;

import dev.headroom.executor.op.basic.Autocast;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.rewrite.InlinedRegions;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The types that conversions and fresh tensors have in a run, where the export says float32 as all was in that
 * precision: by what their source line names and, where it takes another tensor's type, by the operators that they
 * meet.
 */
final class TypesInRun {
    /** Views and selections, which hand their operand's type on. */
    private static final Set<String> KEEPING = Set.of(
            "aten.view",
            "aten.reshape",
            "aten.transpose",
            "aten.permute",
            "aten.unsqueeze",
            "aten.squeeze",
            "aten.contiguous",
            "aten.split",
            "aten.chunk",
            "aten.unbind",
            "aten.slice",
            "aten.dropout",
            "aten.repeat",
            "aten.expand");

    private static final Set<String> PRODUCTS = Set.of("aten.matmul", "aten.bmm", "aten.baddbmm");
    private static final Set<String> LINEAR = Set.of("aten.linear");

    /** What takes operands of one type only. */
    private static final Set<String> MEETING = Set.of("aten.linear", "aten.matmul", "aten.bmm", "aten.baddbmm");

    private static final Set<String> LOSSES = Set.of("aten.cross_entropy_loss", "aten.nll_loss", "aten.nll_loss_nd");

    private final Scenario run;
    private final List<Node> nodes;
    private final BitSet withoutGradients = new BitSet();
    private final FollowedTypes follows;
    private final Map<String, Integer> makers = new HashMap<>();
    private final Map<String, List<Node>> users = new HashMap<>();
    private final Map<String, Boolean> lowered = new HashMap<>();
    private final Map<String, Boolean> wide = new HashMap<>();

    TypesInRun(Graph graph, Scenario run) {
        this.run = run;
        this.nodes = graph.nodes();
        this.follows = new FollowedTypes(graph);
        Deque<Boolean> modes = new ArrayDeque<>();
        for (int i = 0; i < nodes.size(); i++) {
            Node n = nodes.get(i);
            if (n.target().equals(InlinedRegions.ENTER)) {
                modes.push(n.argument(InlinedRegions.GRADIENTS) instanceof Argument.Bool on && !on.value());
            } else if (n.target().equals(InlinedRegions.LEAVE)) {
                modes.pop();
            }
            withoutGradients.set(i, modes.contains(true));
            for (String made : n.outputs()) {
                makers.put(made, i);
            }
            n.reads().forEach(r -> users.computeIfAbsent(r, k -> new ArrayList<>())
                    .add(n));
        }
    }

    /**
     * Whether a product without gradients has operands that the program converts to float32 by name: it computes there
     * in float32, with autocast off. A trace outside of autocast does not hold that (transformers, utils/generic.py,
     * maybe_autocast).
     */
    boolean keepsOutOfAutocast(int node) {
        Node n = nodes.get(node);
        return run.precision().amp() != null
                && withoutGradients.get(node)
                && PRODUCTS.contains(n.operator())
                && n.reads().stream().allMatch(this::isWidened);
    }

    private boolean isWidened(String value) {
        Integer made = makers.get(value);
        if (made == null) {
            return false;
        }
        Node maker = nodes.get(made);
        boolean converts = maker.operator().equals("aten.to");
        return converts && isNamed(made)
                || (converts || KEEPING.contains(maker.operator()))
                        && isWidened(maker.reads().get(0));
    }

    /** Whether the line of a node converts something, other than by a function that it calls. */
    private boolean converts(int node) {
        String text = SourceLine.innermost(nodes.get(node)).text();
        return text.contains(".to(") || text.contains(".type(") || text.contains(".float(");
    }

    /** Whether the statement of a conversion binds what it makes, or returns it, instead of going on with it. */
    boolean isBound(int node) {
        return !follows.isReadInStatement(node);
    }

    /** The value whose type the line of a node names, as an argument; {@code null} where it names none. */
    @Nullable
    Argument followed(int node) {
        String like = follows.followed(node);
        return like == null ? null : new Argument.TypeOf(like);
    }

    /** Whether the line of a node names its type; where that cannot be told of it alone, of any on the line. */
    private boolean isNamed(int node) {
        SpelledType spelled = follows.spelled(node);
        String text = SourceLine.innermost(nodes.get(node)).text();
        return spelled == null
                ? text.contains("float32") || text.contains(".float(")
                : spelled.kind() == SpelledType.Kind.NAMED;
    }

    /** What truth values and numbers without fractions are converted to; {@code null}: what the archive says. */
    @Nullable
    Argument ofOtherKind(int node) {
        DType whole = run.precision().dtype();
        return whole != null && !converts(node) && !isNamed(node) && leadsTo(node, MEETING)
                ? new Argument.Type(whole)
                : followed(node);
    }

    /** What it converts to in the run; {@code null}: nothing. */
    @Nullable
    Argument ofConversion(int node) {
        Argument like = followed(node);
        if (like != null) {
            return like;
        }
        SpelledType spelled = follows.spelled(node);
        if (spelled != null && spelled.kind() == SpelledType.Kind.NONE) {
            return null;
        }
        DType type = isNamed(node) ? DType.FLOAT32 : guessed(node);
        return type == null ? null : new Argument.Type(type);
    }

    private @Nullable DType guessed(int node) {
        Node n = nodes.get(node);
        boolean outOfSight = !converts(node);
        if (outOfSight && reaches(n, LOSSES) != null) {
            return DType.FLOAT32; // transformers/loss/loss_utils.py, ForCausalLMLoss: logits.float()
        }
        DType whole = run.precision().dtype();
        if (whole != null) {
            boolean back = !outOfSight || isWide(n.reads().get(0)) || reaches(n, MEETING) != null;
            return back ? whole : DType.FLOAT32;
        }
        // attn_weights.type(value.dtype), as attention is written in transformers: the type of the other factor
        Node product = reaches(n, PRODUCTS);
        boolean lowers = product != null
                && product.reads().stream().filter(r -> !comesFrom(r, node)).anyMatch(this::isLowered);
        boolean meetsWeights = outOfSight && reaches(n, LINEAR) != null;
        DType amp = lowers || meetsWeights ? run.precision().amp() : null;
        return amp == null && outOfSight ? DType.FLOAT32 : amp;
    }

    /** The operator of a kind that the result goes to, through views at most. */
    private @Nullable Node reaches(Node n, Set<String> kinds) {
        for (Node user : users.getOrDefault(n.outputs().get(0), List.of())) {
            if (kinds.contains(user.operator())) {
                return user;
            }
            Node further = KEEPING.contains(user.operator()) ? reaches(user, kinds) : null;
            if (further != null) {
                return further;
            }
        }
        return null;
    }

    /** Whether anything that is computed from a result goes to an operator of a kind. */
    private boolean leadsTo(int node, Set<String> kinds) {
        Set<String> found = new HashSet<>(nodes.get(node).outputs());
        for (int i = node + 1; i < nodes.size(); i++) {
            Node n = nodes.get(i);
            if (n.reads().stream().anyMatch(found::contains)) {
                if (kinds.contains(n.operator())) {
                    return true;
                }
                found.addAll(n.outputs());
            }
        }
        return false;
    }

    private boolean comesFrom(String value, int node) {
        Integer made = makers.get(value);
        if (made == null) {
            return false;
        }
        Node maker = nodes.get(made);
        return made == node
                || KEEPING.contains(maker.operator()) && comesFrom(maker.reads().get(0), node);
    }

    /** Whether autocast has it in its type: by the operators that made it, back to those that autocast lowers. */
    private boolean isLowered(String value) {
        Boolean known = lowered.get(value);
        if (known == null) {
            Integer made = makers.get(value);
            known = made != null && lowers(nodes.get(made));
            lowered.put(value, known);
        }
        return known;
    }

    private boolean lowers(Node maker) {
        if (maker.reads().isEmpty() || Autocast.widens(maker.operator())) {
            return false;
        }
        if (Autocast.lowers(maker.operator())) {
            return true;
        }
        boolean first = KEEPING.contains(maker.operator()) || maker.operator().equals("aten.batch_norm");
        return first ? isLowered(maker.reads().get(0)) : maker.reads().stream().allMatch(this::isLowered);
    }

    /** Whether a value of a run in a type of 16 bits is in float32: converted, or computed from what is. */
    private boolean isWide(String value) {
        Boolean known = wide.get(value);
        if (known == null) {
            Integer made = makers.get(value);
            known = made != null && widens(made);
            wide.put(value, known);
        }
        return known;
    }

    private boolean widens(int node) {
        Node maker = nodes.get(node);
        if (maker.operator().equals("aten.to")) {
            return ofConversion(node) instanceof Argument.Type type && type.value() == DType.FLOAT32;
        }
        boolean asks = maker.arguments().stream()
                .anyMatch(a -> a.value() instanceof Argument.Type type && type.value() == DType.FLOAT32);
        if (asks || maker.reads().isEmpty()) {
            return asks;
        }
        return KEEPING.contains(maker.operator())
                ? isWide(maker.reads().get(0))
                : maker.reads().stream().anyMatch(this::isWide);
    }

    /** The type of a fresh tensor, which was given as that of another unless named. */
    Argument ofFresh(int node) {
        if (isNamed(node)) {
            return new Argument.Type(DType.FLOAT32);
        }
        Argument like = followed(node);
        if (like != null) {
            return like;
        }
        String given = follows.ofCall(node);
        if (given != null) {
            return new Argument.TypeOf(given);
        }
        DType whole = run.precision().dtype();
        return new Argument.Type(whole == null ? DType.FLOAT32 : whole);
    }
}
