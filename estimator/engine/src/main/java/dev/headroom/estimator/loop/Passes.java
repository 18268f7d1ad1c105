package dev.headroom.estimator.loop;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.loss.Losses;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.program.ForwardPass;
import dev.headroom.estimator.program.NodeRuns;
import dev.headroom.estimator.program.Variables;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.AutocastMode;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The passes of a loop through its model: forward, the loss and backward, with all that hooks make of them. */
final class Passes implements Variables.Caller {
    private final TrainingLoop loop;
    private final EagerRuntime runtime;
    private final Scenario run;
    private final HookChain hooks;
    private final boolean led;
    private final LoopVariables variables;
    private @Nullable ForwardPass forward;

    /** Whether a pass of the loop's own runs, whose outputs take the place of those before. */
    private boolean calling;

    /** The phase that follows when the model returns, whose program may go on with the loss. */
    private @Nullable Moment next;

    /** What autocast's region replaced; {@code null} outside of one. */
    private AutocastMode.@Nullable State outside;

    Passes(TrainingLoop loop, HookChain hooks) {
        this.loop = loop;
        this.runtime = loop.runtime();
        this.run = loop.prepared().scenario();
        this.hooks = hooks;
        this.led = hooks.any(LoopHook::leadsSteps);
        this.variables = new LoopVariables(runtime, this);
    }

    /** How the model is called. */
    void through(ForwardPass model) {
        forward = model;
    }

    /** How the nodes of the plan's graph ran so far. */
    NodeRuns nodeRuns() {
        return forward == null ? NodeRuns.NONE : forward.runs();
    }

    /** Adds what passes leave to the ones after. */
    void describe(Beginning to) {
        if (forward != null) {
            forward.describe(to);
        }
        to.unknownIf(outside != null);
    }

    /** The passes of a step count as run once more, see {@link ForwardPass#ranAgain}. */
    void ranAgain(NodeRuns before, NodeRuns after, IntUnaryOperator numbers) {
        Objects.requireNonNull(forward, "a model to run").ranAgain(before, after, numbers);
    }

    /** Forward, loss and backward. */
    void run(int step, @Nullable Integer micro) {
        Moment loss = new Moment(Phase.LOSS, step, micro);
        loop.phase(new Moment(Phase.FORWARD, step, micro), () -> {
            outside = enterAutocast();
            next = loss;
            forward();
            next = null;
        });
        loop.phase(loss, () -> {
            computeLoss();
            leaveAutocast();
        });
        loop.phase(new Moment(Phase.BACKWARD, step, micro), () -> backward(variables.loss(), false));
    }

    /** What the names of the loop hold. */
    LoopVariables variables() {
        return variables;
    }

    @Override
    public void bufferBound(String buffer, Tensor value) {
        runtime.hold(value);
        runtime.setCategory(value, Category.BUFFERS);
        runtime.release(loop.model().replace(buffer, value, value));
        loop.graph().inputs().stream()
                .filter(in -> in.kind() == Graph.InputKind.BUFFER && buffer.equals(in.qualifiedName()))
                .forEach(in -> loop.batch().give(in.value(), value));
    }

    @Override
    public void modelReturned() {
        if (calling) {
            variables.releaseOutputs();
        }
        if (next != null) {
            loop.goOn(next);
            next = null;
        }
    }

    /** The step of an optimizer that evaluates the model itself. */
    void stepOf(Optimizer optimizer) {
        loop.workOf(Phase.OPTIMIZER);
        optimizer.step(this::evaluate);
    }

    /**
     * The closure of an optimizer's step: zero_grad, forward, loss and backward, whose variables end with it.
     *
     * @return the loss, with a reference for the caller
     */
    private Tensor evaluate() {
        boolean before = runtime.setGradMode(true);
        loop.zeroGrad();
        outside = enterAutocast();
        forward();
        computeLoss();
        leaveAutocast();
        backward(variables.loss(), false);
        Tensor loss = runtime.hold(variables.loss());
        variables.delete();
        loop.workOf(Phase.OPTIMIZER);
        runtime.setGradMode(before);
        return loss;
    }

    /** Ends autocast's region, where a pass has begun one. */
    void leaveAutocast() {
        if (outside != null) {
            runtime.autocast().exit(outside);
            outside = null;
        }
    }

    /**
     * A pass without training. Scripts around a model that a library loads enter autocast's region once, around all
     * passes, so that the weights' casts stay; others enter it for each pass.
     */
    void infer() {
        runtime.setGradMode(false);
        boolean once = loop.graph().held().loaded();
        if (outside == null) {
            outside = enterAutocast();
        }
        forward();
        if (!once) {
            leaveAutocast();
        }
    }

    /** A pass of another runner in between, without training. */
    Tensor[] evaluate(ForwardPass other, Map<String, Tensor> values) {
        runtime.setGradMode(false);
        AutocastMode.State before = enterAutocast();
        Tensor[] made = other.run(values);
        runtime.autocast().exit(before);
        runtime.setGradMode(true);
        return made;
    }

    private AutocastMode.State enterAutocast() {
        DType amp = run.precision().amp();
        return runtime.autocast()
                .enter(amp == null ? runtime.autocast().state() : new AutocastMode.State(true, amp, true));
    }

    private void forward() {
        calling = true;
        Tensor[] made = Objects.requireNonNull(forward, "a model to run")
                .run(loop.batch().values());
        calling = false;
        variables.bindOutputs(hooks.around(made, LoopHook::outputs));
    }

    private void computeLoss() {
        loop.workOf(Phase.LOSS);
        Criterion criterion = loop.batch().criterion();
        Frame frame = runtime.frame();
        try {
            UnaryOperator<Tensor> loss = out -> criterion.loss(out, loop.batch().target());
            Tensor made = hooks.around(loss, (hook, own) -> out -> hook.loss(out, own))
                    .apply(variables.outputs()[0]);
            variables.bindLoss(made);
            if (criterion.dropsOutputs()) {
                variables.deleteOutputs();
            }
            if (run.loop().accumulate() > 1 && !led) {
                variables.bindLoss(Losses.divide(runtime, made)); // loss = loss / k
            }
        } finally {
            frame.close();
        }
    }

    /** {@code loss.backward()}. */
    void backward(Tensor loss, boolean retains) {
        loop.workOf(Phase.BACKWARD);
        Frame frame = runtime.frame();
        try {
            Tensor root = hooks.around(loss, LoopHook::root);
            hooks.wrapped(() -> run(root, retains), LoopHook::backward);
        } finally {
            frame.close();
        }
    }

    private void run(Tensor root, boolean retains) {
        try (Frame frame = runtime.frame()) {
            Tensor one = runtime.emptyLike(root);
            if (retains) {
                loop.engine().backwardAndRetain(root, one);
            } else {
                loop.engine().backward(root, one);
            }
        }
    }
}
