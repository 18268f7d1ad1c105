package dev.headroom.model.script;

import dev.headroom.model.error.Suggestion;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** Looks at every line of a loop before any is played: names that nothing binds, calls of what does not exist. */
final class ScriptCheck {
    private static final Set<String> CLIPS = Set.of("clip_grad_norm_", "clip_grad_value_");
    private static final Set<String> OF_OPTIMIZERS = Set.of("step", "zero_grad");
    private static final Set<String> OF_MODELS =
            Set.of("train", "eval", "requires_grad_", "zero_grad", "update_parameters");
    private static final Set<String> OF_TENSORS = Set.of("backward", "detach", "item", "requires_grad_");

    private static final Set<String> OF_GRAD =
            Set.of("outputs", "inputs", "grad_outputs", "create_graph", "retain_graph");

    private final Script script;
    private final Map<String, Script.Model> models = new HashMap<>();
    private final Set<String> optimizers = new HashSet<>();
    private final Set<String> data = new HashSet<>();
    private final Set<String> variables = new HashSet<>();
    private int line;

    ScriptCheck(Script script) {
        this.script = script;
        script.models().forEach(m -> models.put(m.name(), m));
        script.optimizers().forEach(o -> optimizers.add(o.name()));
        script.data().forEach(d -> data.add(d.name()));
    }

    /** @throws UserInputException for the first line that cannot be, naming file and line */
    void check() {
        for (String name : optimizers) {
            require(!models.containsKey(name), "'" + name + "' is a model and an optimizer");
        }
        bind(script.steps()); // a variable may be read before the line that binds it has run: by the turn before
        check(script.steps());
    }

    private void bind(List<Statement> statements) {
        for (Statement s : statements) {
            if (s instanceof Statement.Line l) {
                variables.addAll(l.targets());
            } else if (s instanceof Statement.Block b) {
                bind(b.body());
            }
        }
    }

    private void check(List<Statement> statements) {
        for (Statement s : statements) {
            line = s.line();
            if (s instanceof Statement.Line l) {
                for (String target : l.targets()) {
                    require(
                            !models.containsKey(target) && !optimizers.contains(target) && !data.contains(target),
                            "'" + target + "' is a model, an optimizer or data and cannot be bound");
                }
                check(l.value(), l.targets().isEmpty());
            } else if (s instanceof Statement.Delete d) {
                d.names().forEach(name -> require(variables.contains(name), unknown(name, variables)));
            } else if (s instanceof Statement.Block b) {
                check(b.body());
            }
        }
    }

    private void check(Expr e, boolean alone) {
        if (e instanceof Expr.Name n) {
            Set<String> known = new HashSet<>(variables);
            known.addAll(data);
            require(known.contains(n.name()), unknown(n.name(), known));
        } else if (e instanceof Expr.Item i) {
            check(i.of(), false);
        } else if (e instanceof Expr.Sequence s) {
            s.parts().forEach(part -> check(part, false));
        } else if (e instanceof Expr.Call c) {
            check(c, alone);
        } else if (e instanceof Expr.Method m) {
            check(m, alone);
        }
    }

    private void check(Expr.Call c, boolean alone) {
        String name = c.function();
        if (CLIPS.contains(name) && alone) {
            boolean owner = !c.arguments().isEmpty()
                    && c.arguments().get(0) instanceof Expr.Name n
                    && (models.containsKey(n.name()) || optimizers.contains(n.name()));
            require(owner, name + " takes a model or an optimizer");
            return;
        }
        if ((name.equals("empty_cache") || name.equals(ScalerLines.UPDATE)) && alone) {
            return;
        }
        if (name.equals(ScalerLines.UNSCALE) && alone) {
            String of = ((Expr.Name) c.arguments().get(0)).name();
            require(optimizers.contains(of), "unscale_ takes an optimizer");
            return;
        }
        if (name.equals("load")) {
            boolean known =
                    c.arguments().size() == 1 && c.arguments().get(0) instanceof Expr.Name n && data.contains(n.name());
            require(known, "load takes one name of the data");
            return;
        }
        if (models.containsKey(name)) {
            long inputs = models.get(name).graph().inputs().stream()
                    .filter(in -> in.kind() == Graph.InputKind.USER)
                    .count();
            require(
                    c.named().isEmpty() && c.arguments().size() == inputs,
                    "model '" + name + "' takes " + inputs + (inputs == 1 ? " input" : " inputs, in order"));
        } else if (name.equals("per_sample_grad")) {
            boolean fits = c.arguments().size() == 3
                    && c.named().isEmpty()
                    && c.arguments().get(1) instanceof Expr.Name n
                    && models.containsKey(n.name());
            require(fits, "per_sample_grad is called as per_sample_grad(loss, model, input)");
            check(c.arguments().get(0), false);
            check(c.arguments().get(2), false);
            return;
        } else if (name.equals("grad")) {
            boolean fits = c.arguments().size() <= 3
                    && OF_GRAD.containsAll(c.named().keySet())
                    && (c.arguments().size() > 0 || c.named().containsKey("outputs"))
                    && (c.arguments().size() > 1 || c.named().containsKey("inputs"));
            require(fits, "grad is called as grad(outputs, inputs, grad_outputs, create_graph=True)");
        } else if (!name.equals("detach")) {
            Set<String> known = new HashSet<>(models.keySet());
            known.addAll(Function.names());
            known.addAll(List.of("load", "detach", "grad", "per_sample_grad"));
            require(Function.of(name).isPresent(), unknown(name, known));
            arguments(name, c.arguments().size(), c.named());
        }
        c.arguments().forEach(a -> check(a, false));
        c.named().values().forEach(a -> check(a, false));
    }

    private void check(Expr.Method m, boolean alone) {
        if (m.on() instanceof Expr.Name n && (models.containsKey(n.name()) || optimizers.contains(n.name()))) {
            Set<String> known = models.containsKey(n.name()) ? OF_MODELS : OF_OPTIMIZERS;
            require(known.contains(m.method()), "'" + n.name() + "' has no such call: " + unknown(m.method(), known));
            require(alone, m.method() + " stands in a line of its own");
            checkArguments(m);
            if (m.method().equals("update_parameters")) {
                String averaged = Objects.requireNonNull(models.get(n.name())).averages();
                boolean source = averaged != null
                        && m.arguments().size() == 1
                        && m.arguments().get(0) instanceof Expr.Name of
                        && of.name().equals(averaged);
                require(source, "update_parameters belongs to an average and takes its model");
            }
            return;
        }
        check(m.on(), false);
        if (m.method().equals("backward")) {
            require(alone, "backward stands in a line of its own");
            m.named()
                    .keySet()
                    .forEach(key -> require(
                            !key.equals("create_graph"),
                            "create_graph=True leaves a history in .grad; write gradient = grad(loss, x,"
                                    + " create_graph=True)[0]"));
            return;
        }
        if (!OF_TENSORS.contains(m.method())) {
            Set<String> known = new HashSet<>(OF_TENSORS);
            known.addAll(Function.names());
            require(Function.of(m.method()).isPresent(), unknown(m.method(), known));
            arguments(m.method(), m.arguments().size() + 1, m.named());
        }
        m.arguments().forEach(a -> check(a, false));
        m.named().values().forEach(a -> check(a, false));
    }

    /** Arguments of calls of models and optimizers: one that nobody reads would be ignored. */
    private void checkArguments(Expr.Method m) {
        boolean zero = m.method().equals("zero_grad");
        boolean flag = !m.method().equals("step") && !m.method().equals("update_parameters");
        m.named()
                .keySet()
                .forEach(key ->
                        require(zero && key.equals("set_to_none"), m.method() + " has no argument '" + key + "' here"));
        boolean fits = m.arguments().size() + m.named().size() <= 1
                && Stream.concat(m.arguments().stream(), m.named().values().stream())
                        .allMatch(a -> !flag || a instanceof Expr.Flag);
        require(fits, m.method() + " takes True or False alone");
        require(
                !m.method().equals("step") || m.arguments().isEmpty(),
                "step takes no argument: write what a closure does in lines before it");
    }

    private void arguments(String name, int given, Map<String, Expr> named) {
        Function f = Function.of(name).orElseThrow();
        List<String> names = new ArrayList<>();
        f.parameters().forEach(p -> names.add(p.name()));
        boolean fits = given <= names.size() && names.containsAll(named.keySet());
        for (int i = given; fits && i < names.size(); i++) {
            fits = f.parameters().get(i).usual() != null || named.containsKey(names.get(i));
        }
        require(fits, name + " is called as " + f.signature());
    }

    private static String unknown(String name, Set<String> known) {
        return "nothing is called '" + name + "'" + Suggestion.of(name, known);
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new UserInputException(script.file() + ":" + line + ": " + otherwise);
        }
    }
}
