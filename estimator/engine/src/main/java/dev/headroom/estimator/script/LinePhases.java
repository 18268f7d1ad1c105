package dev.headroom.estimator.script;

import dev.headroom.model.run.Phase;
import dev.headroom.model.script.Expr;
import dev.headroom.model.script.ScalerLines;
import dev.headroom.model.script.Script;
import dev.headroom.model.script.Statement;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which phase a line of a loop is: what it calls says so. */
final class LinePhases {
    private final Set<String> owners = new HashSet<>();
    private final Set<String> models = new HashSet<>();
    private final Map<Phase, Integer> counts = new EnumMap<>(Phase.class);

    LinePhases(Script script) {
        script.models().forEach(m -> models.add(m.name()));
        owners.addAll(models);
        script.optimizers().forEach(o -> owners.add(o.name()));
        count(script.steps(), 1);
    }

    private void count(List<Statement> statements, int times) {
        for (Statement s : statements) {
            if (s instanceof Statement.Block b) {
                count(b.body(), b.kind() == Statement.Kind.REPEAT ? times * b.number() : times);
            } else if (s instanceof Statement.Line l && of(l) != null) {
                counts.merge(of(l), times, Integer::sum);
            }
        }
    }

    /** Whether a step may have several of them, so that they are numbered. */
    boolean several(Phase phase) {
        return counts.getOrDefault(phase, 0) > 1;
    }

    /** {@code null} for a line that changes no memory by itself, such as {@code model.eval()}. */
    @Nullable
    Phase of(Statement.Line l) {
        if (l.value() instanceof Expr.Method m && l.targets().isEmpty()) {
            boolean owned = m.on() instanceof Expr.Name n && owners.contains(n.name());
            return switch (m.method()) {
                case "backward" -> Phase.BACKWARD;
                case "step" -> owned ? Phase.OPTIMIZER : Phase.LOSS;
                case "requires_grad_" -> null;
                case "zero_grad" -> owned ? Phase.ZERO_GRAD : Phase.LOSS;
                case "update_parameters" -> owned ? Phase.AVERAGE : Phase.LOSS;
                default -> owned ? null : Phase.LOSS;
            };
        }
        if (l.value() instanceof Expr.Call c && l.targets().isEmpty()) {
            if (c.function().startsWith("clip_grad")) {
                return Phase.CLIP;
            }
            if (Set.of("empty_cache", ScalerLines.UNSCALE, ScalerLines.UPDATE).contains(c.function())) {
                return null;
            }
        }
        if (calls(l.value()).anyMatch(name -> name.equals("grad") || name.equals("per_sample_grad"))) {
            return Phase.BACKWARD;
        }
        if (calls(l.value()).anyMatch(models::contains)) {
            return Phase.FORWARD;
        }
        return calls(l.value()).anyMatch("load"::equals) ? Phase.INPUTS : Phase.LOSS;
    }

    /** Names of the functions that an expression calls. */
    private static Stream<String> calls(Expr e) {
        if (e instanceof Expr.Item i) {
            return calls(i.of());
        }
        if (e instanceof Expr.Sequence s) {
            return s.parts().stream().flatMap(LinePhases::calls);
        }
        if (e instanceof Expr.Call c) {
            return Stream.concat(
                    Stream.of(c.function()),
                    Stream.concat(c.arguments().stream(), c.named().values().stream())
                            .flatMap(LinePhases::calls));
        }
        if (e instanceof Expr.Method m) {
            return Stream.concat(calls(m.on()), m.arguments().stream().flatMap(LinePhases::calls));
        }
        return Stream.of();
    }
}
