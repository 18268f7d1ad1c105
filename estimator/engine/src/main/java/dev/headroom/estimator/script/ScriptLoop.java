package dev.headroom.estimator.script;

import dev.headroom.estimator.loop.LibraryLoop;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.program.ForwardPass;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.program.NodeRuns;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.script.Expr;
import dev.headroom.model.script.ScalerLines;
import dev.headroom.model.script.Script;
import dev.headroom.model.script.Statement;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A loop of several models, in place of the usual one. */
public final class ScriptLoop implements LoopHook, LibraryLoop {
    private final Script script;
    private final Map<String, PlayedModel> models = new LinkedHashMap<>();
    private final Map<String, PlayedOptimizer> optimizers = new LinkedHashMap<>();
    private final Map<String, Averages> averages = new LinkedHashMap<>();
    private TrainingLoop loop;
    private @Nullable Interpreter interpreter;

    private ScriptLoop(Script script) {
        this.script = script;
    }

    /**
     * The loop that comes with a graph; nothing for a graph without one.
     *
     * @throws UserInputException for a scenario that changes what the file says
     */
    public static List<LoopHook> of(Graph imported, Scenario run) {
        if (!(imported.loop() instanceof Script script)) {
            return List.of();
        }
        refuse(run.loop().inference(), "`inference`", "write no_grad blocks");
        refuse(run.loop().accumulate() > 1, "`accumulate`", "write repeat blocks");
        refuse(run.checkpointing().any(), "`checkpoint`", "recomputation inside of such a loop is not modelled");
        refuse(run.trainer().loop().isTrainer(), "`loop`", "the file is the loop");
        refuse(run.parallel().kind() != ParallelKind.SINGLE, "`parallel`", "such loops run on one GPU");
        boolean changed = run.adapters().any() || run.quant().any();
        refuse(changed, "adapters and quantised weights", "put them into the archive");
        refuse(run.loop().clips(), "`clip_grad_norm`", "write clip_grad_norm_(model)");
        refuse(run.trainer().evalBatch() != null, "`eval_batch`", "write a no_grad block");
        boolean scales = ScalerLines.any(script.steps(), ScalerLines.UNSCALE)
                || ScalerLines.any(script.steps(), ScalerLines.UPDATE);
        if (scales && run.precision().amp() != DType.FLOAT16) {
            throw new UserInputException(
                    script.file() + " has lines of a GradScaler: pass `amp=fp16`, or leave them out");
        }
        return List.of(new ScriptLoop(script));
    }

    private static void refuse(boolean asked, String option, String instead) {
        if (asked) {
            throw new UserInputException(option + ": the loop is that of the file; " + instead);
        }
    }

    @Override
    public void describe(Beginning to) {
        averages.values().forEach(a -> a.describe(to));
        if (interpreter != null) {
            interpreter.describe(to);
        }
    }

    @Override
    public boolean differs(int step, int pass) {
        return interpreter != null && interpreter.hasOwn(step);
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
    }

    @Override
    public LibraryLoop library() {
        return this;
    }

    @Override
    public ModelTensors model(Supplier<ModelTensors> own) {
        for (Script.Model m : script.models()) {
            models.put(m.name(), new PlayedModel(m, loop, m.averages() != null));
            if (m.averages() != null) {
                averages.put(m.name(), new Averages(loop.runtime()));
            }
        }
        return ModelTensors.together(
                loop.runtime(),
                models.values().stream().map(PlayedModel::tensors).toList());
    }

    /** The models are called one by one. */
    @Override
    public ForwardPass forward(ForwardPass own) {
        return new ForwardPass() {
            @Override
            public Tensor[] run(Map<String, Tensor> inputs) {
                return own.run(inputs);
            }

            @Override
            public void describe(Beginning to) {
                models.values().forEach(m -> m.describe(to));
            }

            @Override
            public void ranAgain(NodeRuns before, NodeRuns after, IntUnaryOperator numbers) {
                // What ran of several models is not told.
            }

            @Override
            public NodeRuns runs() {
                return NodeRuns.NONE;
            }
        };
    }

    @Override
    public Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> own) {
        script.optimizers()
                .forEach(o -> optimizers.put(
                        o.name(), new PlayedOptimizer(o, models, loop.prepared().scenario(), loop.runtime())));
        return new Optimizer() {
            @Override
            public void step() {
                optimizers.values().forEach(PlayedOptimizer::step);
            }

            @Override
            public boolean showsAll() {
                return optimizers.values().stream().allMatch(PlayedOptimizer::showsAll);
            }

            @Override
            public List<Tensor> state(int parameter) {
                return optimizers.values().stream()
                        .flatMap(o -> o.stateOf(parameters.get(parameter)).stream())
                        .toList();
            }
        };
    }

    @Override
    public void begin(Runnable makeOptimizer) {
        makeOptimizer.run();
        LoadedData data = new LoadedData(script, loop, models);
        Evaluator evaluator = new Evaluator(loop.runtime(), models, data, new OperatorCalls(loop), new Gradients(loop));
        interpreter = new Interpreter(script, loop, models, optimizers, averages, evaluator);
        loop.phase(Moment.of(Phase.INPUTS), () -> {
            loop.workOf(Phase.INPUTS);
            lasting().forEach(data::bring);
        });
    }

    /** Data that the loop reads without loading it. */
    private Set<String> lasting() {
        Set<String> names = new LinkedHashSet<>();
        read(script.steps(), names);
        Set<String> out = new LinkedHashSet<>();
        script.data().stream().map(Script.Data::name).filter(names::contains).forEach(out::add);
        return out;
    }

    private static void read(List<Statement> statements, Set<String> names) {
        for (Statement s : statements) {
            if (s instanceof Statement.Block b) {
                read(b.body(), names);
            } else if (s instanceof Statement.Line l) {
                read(l.value(), names);
            }
        }
    }

    private static void read(Expr e, Set<String> names) {
        if (e instanceof Expr.Name n) {
            names.add(n.name());
        } else if (e instanceof Expr.Item i) {
            read(i.of(), names);
        } else if (e instanceof Expr.Sequence s) {
            s.parts().forEach(part -> read(part, names));
        } else if (e instanceof Expr.Call c && !c.function().equals("load")) {
            c.arguments().forEach(a -> read(a, names));
            c.named().values().forEach(a -> read(a, names));
        } else if (e instanceof Expr.Method m) {
            read(m.on(), names);
            m.arguments().forEach(a -> read(a, names));
        }
    }

    @Override
    public boolean updatesScale() {
        return ScalerLines.any(script.steps(), ScalerLines.UPDATE);
    }

    @Override
    public void step(int step) {
        Objects.requireNonNull(interpreter, "the loop has not begun").step(step);
    }
}
