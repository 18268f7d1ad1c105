package dev.headroom.executor.program;

import dev.headroom.executor.op.basic.Autocast;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
            "aten.contiguous",
            "aten.split",
            "aten.chunk",
            "aten.unbind",
            "aten.slice",
            "aten.dropout",
            "aten.repeat",
            "aten.expand");

    private static final Set<String> PRODUCTS = Set.of("aten.matmul", "aten.bmm", "aten.baddbmm");
    private static final Set<String> FILLING = Set.of("aten.bernoulli_", "aten.div_", "aten.fill_", "aten.uniform_");
    private static final Set<String> LOSSES = Set.of("aten.cross_entropy_loss", "aten.nll_loss", "aten.nll_loss_nd");

    private final Scenario run;
    private final Map<String, Node> makers = new HashMap<>();
    private final Map<String, List<Node>> users = new HashMap<>();
    private final Map<String, Boolean> lowered = new HashMap<>();

    TypesInRun(Graph graph, Scenario run) {
        this.run = run;
        for (Node n : graph.nodes()) {
            n.outputs().forEach(o -> makers.put(o, n));
            n.reads().forEach(r -> users.computeIfAbsent(r, k -> new ArrayList<>())
                    .add(n));
        }
    }

    /** Whether a line of source converts something, other than by a function that it calls. */
    static boolean converts(String text) {
        return text.contains(".to(") || text.contains(".type(") || text.contains(".float(");
    }

    /** What it converts to in the run; {@code null}: nothing. */
    DType ofConversion(Node n, String text) {
        if (text.contains("float32") || text.contains(".float(")) {
            return DType.FLOAT32;
        }
        if (!converts(text) && reaches(n, LOSSES) != null) {
            return DType.FLOAT32; // transformers/loss/loss_utils.py, ForCausalLMLoss: logits.float()
        }
        if (run.precision().dtype() != null) {
            return run.precision().dtype();
        }
        // attn_weights.type(value.dtype), as attention is written in transformers: the type of the other factor
        Node product = reaches(n, PRODUCTS);
        boolean lowers = product != null
                && product.reads().stream().filter(r -> !comesFrom(r, n)).anyMatch(this::isLowered);
        return lowers ? run.precision().amp() : null;
    }

    /** The operator of a kind that the result goes to, through views at most. */
    private Node reaches(Node n, Set<String> kinds) {
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

    @SuppressWarnings("ReferenceEquality") // the very node: two calls may look alike
    private boolean comesFrom(String value, Node n) {
        Node maker = makers.get(value);
        return maker == n
                || maker != null
                        && KEEPING.contains(maker.operator())
                        && comesFrom(maker.reads().get(0), n);
    }

    /** Whether autocast has it in its type: by the operators that made it, back to those that autocast lowers. */
    private boolean isLowered(String value) {
        Boolean known = lowered.get(value);
        if (known == null) {
            known = lowers(makers.get(value));
            lowered.put(value, known);
        }
        return known;
    }

    private boolean lowers(Node maker) {
        if (maker == null || maker.reads().isEmpty() || Autocast.widens(maker.operator())) {
            return false;
        }
        if (Autocast.lowers(maker.operator())) {
            return true;
        }
        boolean first = KEEPING.contains(maker.operator()) || maker.operator().equals("aten.batch_norm");
        return first ? isLowered(maker.reads().get(0)) : maker.reads().stream().allMatch(this::isLowered);
    }

    /** The type of a fresh tensor, which was given as that of the tensor that it is combined with unless named. */
    DType ofFresh(Node n) {
        if (SourceLine.innermost(n).text().contains("float32")) {
            return DType.FLOAT32;
        }
        if (run.precision().dtype() != null) {
            return run.precision().dtype();
        }
        Node at = n;
        while (at != null) {
            String made = at.outputs().get(0);
            for (Node user : users.getOrDefault(made, List.of())) {
                if (user.operator().equals("aten.mul")
                        && user.reads().stream().filter(r -> !r.equals(made)).anyMatch(this::isLowered)) {
                    return run.precision().amp();
                }
            }
            at = users.getOrDefault(made, List.of()).stream()
                    .filter(user -> FILLING.contains(user.operator()))
                    .findFirst()
                    .orElse(null);
        }
        return DType.FLOAT32;
    }
}
