package dev.headroom.estimator.script;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.loop.GradientClipping;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.AutocastMode;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.script.Expr;
import dev.headroom.model.script.ScalerLines;
import dev.headroom.model.script.Script;
import dev.headroom.model.script.Statement;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Runs the statements of a loop. A line that does something is a phase, numbered where a step has several of a kind.
 */
final class Interpreter {
    private final Script script;
    private final TrainingLoop loop;
    private final EagerRuntime runtime;
    private final Map<String, PlayedModel> models;
    private final Map<String, PlayedOptimizer> optimizers;
    private final Map<String, Averages> averages;
    private final Evaluator evaluator;
    private final LinePhases phases;
    private final Map<Phase, Integer> played = new EnumMap<>(Phase.class);
    private final boolean saysUnscale;
    private int step;

    Interpreter(
            Script script,
            TrainingLoop loop,
            Map<String, PlayedModel> models,
            Map<String, PlayedOptimizer> optimizers,
            Map<String, Averages> averages,
            Evaluator evaluator) {
        this.script = script;
        this.loop = loop;
        this.runtime = loop.runtime();
        this.models = models;
        this.optimizers = optimizers;
        this.averages = averages;
        this.evaluator = evaluator;
        this.phases = new LinePhases(script);
        this.saysUnscale = ScalerLines.any(script.steps(), ScalerLines.UNSCALE);
    }

    /** Adds what names hold. */
    void describe(Beginning to) {
        evaluator.describe(to);
    }

    /** One turn of the loop. */
    void step(int number) {
        step = number;
        played.clear();
        run(script.steps());
    }

    /** Whether a block is due in a step that not all steps run. */
    boolean hasOwn(int number) {
        return hasOwn(script.steps(), number);
    }

    private static boolean hasOwn(List<Statement> statements, int number) {
        return statements.stream()
                .anyMatch(s -> s instanceof Statement.Block b
                        && (isDue(b, number) && b.number() > 1 || hasOwn(b.body(), number)));
    }

    private static boolean isDue(Statement.Block b, int number) {
        return b.kind() == Statement.Kind.EVERY && (number + 1) % b.number() == 0;
    }

    private void run(List<Statement> statements) {
        for (Statement s : statements) {
            if (s instanceof Statement.Block b) {
                block(b);
            } else if (s instanceof Statement.Delete d) {
                d.names().forEach(name -> told(s, () -> evaluator.delete(name)));
            } else if (s instanceof Statement.Line l) {
                line(l);
            }
        }
    }

    private void block(Statement.Block b) {
        switch (b.kind()) {
            case EVERY -> {
                if (isDue(b, step)) {
                    run(b.body());
                }
            }
            case REPEAT -> {
                loop.repeats().playTurns(b.number(), () -> run(b.body()), then -> next(then.phase()));
            }
            case NO_GRAD -> {
                boolean before = runtime.setGradMode(false);
                run(b.body());
                runtime.setGradMode(before);
            }
            case AUTOCAST -> {
                AutocastMode.State before = runtime.autocast().enter(new AutocastMode.State(true, type(b), true));
                run(b.body());
                runtime.autocast().exit(before);
            }
        }
    }

    private DType type(Statement.Block b) {
        if (b.type() != null) {
            return b.type().equals("bf16") ? DType.BFLOAT16 : DType.FLOAT16;
        }
        DType amp = loop.prepared().scenario().precision().amp();
        if (amp == null) {
            throw at(b, "autocast has no type: pass `amp=bf16`, or write autocast bf16");
        }
        return amp;
    }

    private void line(Statement.Line l) {
        Phase phase = phases.of(l);
        if (phase == null) {
            told(l, () -> run(l));
            return;
        }
        loop.phase(next(phase), () -> {
            loop.workOf(phase);
            told(l, () -> run(l));
        });
    }

    /** The moment of the next phase of a kind. */
    private Moment next(Phase phase) {
        int number = played.merge(phase, 1, Integer::sum) - 1;
        return new Moment(phase, step, phases.several(phase) ? number : null);
    }

    private void told(Statement s, Runnable work) {
        try {
            work.run();
        } catch (UserInputException e) {
            throw at(s, String.valueOf(e.getMessage()));
        }
    }

    private UserInputException at(Statement s, String what) {
        return new UserInputException(script.file() + ":" + s.line() + ": " + what);
    }

    private void run(Statement.Line l) {
        if (!l.targets().isEmpty()) {
            assign(l);
        } else if (l.value() instanceof Expr.Method m) {
            method(m);
        } else if (l.value() instanceof Expr.Call c && c.function().startsWith("clip_grad")) {
            List<Tensor> parameters = parameters(((Expr.Name) c.arguments().get(0)).name());
            if (!saysUnscale) {
                unscale(parameters);
            }
            if (c.function().equals("clip_grad_norm_")) { // values are clamped in place
                new GradientClipping(runtime).clip(parameters);
            }
        } else if (l.value() instanceof Expr.Call c && c.function().equals(ScalerLines.UNSCALE)) {
            PlayedOptimizer of = Objects.requireNonNull(
                    optimizers.get(((Expr.Name) c.arguments().get(0)).name()));
            loop.hooks().each(h -> h.unscale(of));
        } else if (l.value() instanceof Expr.Call c && c.function().equals(ScalerLines.UPDATE)) {
            loop.hooks().each(LoopHook::updateScale);
        } else if (l.value() instanceof Expr.Call c && c.function().equals("empty_cache")) {
            runtime.allocator().emptyCache();
        } else {
            Value.release(runtime, evaluator.value(l.value()));
        }
    }

    /** {@code scaler.unscale_} of the optimizers that step these, which comes before gradients are clipped. */
    private void unscale(List<Tensor> parameters) {
        Set<Tensor> clipped = new HashSet<>(parameters);
        for (PlayedOptimizer of : optimizers.values()) {
            if (of.parameters().stream().anyMatch(clipped::contains)) {
                loop.hooks().each(h -> h.unscale(of));
            }
        }
    }

    private void assign(Statement.Line l) {
        Value value = evaluator.value(l.value());
        if (value instanceof Value.Tensors t) {
            t.all().stream()
                    .filter(made -> made.storage().category() == Category.TEMPORARIES)
                    .forEach(made -> runtime.setCategory(made, Category.OUTPUTS));
        }
        if (l.targets().size() == 1) {
            evaluator.bind(l.targets().get(0), value);
            return;
        }
        List<Value> parts = value instanceof Value.Sequence s
                ? s.parts()
                : value instanceof Value.Tensors t
                        ? t.all().stream()
                                .map(one -> (Value) Value.Tensors.one(one))
                                .toList()
                        : List.of(value);
        if (parts.size() != l.targets().size()) {
            throw new UserInputException(
                    l.targets().size() + " names are bound, but there are " + parts.size() + " results");
        }
        for (int i = 0; i < parts.size(); i++) {
            evaluator.bind(l.targets().get(i), parts.get(i));
        }
    }

    private List<Tensor> parameters(String owner) {
        PlayedModel model = models.get(owner);
        return model != null
                ? model.tensors().parameters()
                : Objects.requireNonNull(optimizers.get(owner)).parameters();
    }

    private void method(Expr.Method m) {
        String owner = m.on() instanceof Expr.Name n ? n.name() : "";
        if (models.containsKey(owner) || optimizers.containsKey(owner)) {
            ofOwner(owner, m);
        } else if (m.method().equals("backward")) {
            Value loss = evaluator.value(m.on());
            boolean retains = m.named().get("retain_graph") instanceof Expr.Flag f && f.value();
            loop.backward(Evaluator.one("backward", loss), retains);
            Value.release(runtime, loss);
        } else {
            Value.release(runtime, evaluator.value(m));
        }
    }

    private void ofOwner(String owner, Expr.Method m) {
        PlayedModel model = models.get(owner);
        switch (m.method()) {
            case "step" -> loop.step(Objects.requireNonNull(optimizers.get(owner)));
            case "zero_grad" -> {
                if (setsToNone(m)) {
                    parameters(owner).forEach(p -> runtime.setGrad(p, null));
                }
            }
            case "train" -> Objects.requireNonNull(model).evaluates(isFalse(m));
            case "eval" -> Objects.requireNonNull(model).evaluates(true);
            case "requires_grad_" -> Objects.requireNonNull(model).requireGradients(!isFalse(m));
            case "update_parameters" ->
                Objects.requireNonNull(averages.get(owner)).update();
            default -> throw new UserInputException("'" + owner + "' has no " + m.method());
        }
    }

    /** Gradients that are set to zero stay where they are; before PyTorch 2.0 that is the default. */
    private boolean setsToNone(Expr.Method m) {
        Expr said = m.arguments().isEmpty()
                ? m.named().get("set_to_none")
                : m.arguments().get(0);
        if (said instanceof Expr.Flag f) {
            return f.value();
        }
        Scenario run = loop.prepared().scenario();
        return !run.loop().zeroGradKeep() && run.torch().zeroGradSetsToNone();
    }

    private static boolean isFalse(Expr.Method m) {
        return !m.arguments().isEmpty() && m.arguments().get(0) instanceof Expr.Flag f && !f.value();
    }
}
