package dev.headroom.estimator.loop;

import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.program.ForwardPass;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.program.NodeHook;
import dev.headroom.estimator.program.Placement;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.run.Moment;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The points of the training loop at which a script, or a library around PyTorch, does work of its own: clipping,
 * scaling, wrapping a model, offloading a state. Finer points, inside a forward or a backward pass, are those of the
 * runtime.
 *
 * <pre>
 *  attach
 *  for each phase:  between → begin → the phase's own work → end → memory is read
 *                                     model:     placement, optimizer
 *                                     wrap:      optimizer
 *                                     zero_grad: zeroGrad
 *                                     forward:   outputs
 *                                     loss:      loss
 *                                     backward:  root, backward
 *                                     clip:      clip
 *                                     optimizer: step
 * </pre>
 *
 * Hooks are called in the order in which the loop was given them. Where they wrap something, a later one is
 * around the earlier ones.
 */
public interface LoopHook {
    /**
     * Before anything is allocated. The loop can be asked from then on, for its model once the model phase has ended.
     */
    default void attach(TrainingLoop loop) {}

    /**
     * After memory was read at the end of a phase and before the next begins. What happens here still counts for the
     * phase that ended, in an out-of-memory report, and is read with the next; phases of a hook's own are run from
     * here, by {@link TrainingLoop#phase}.
     *
     * @param next the phase that follows
     */
    default void between(Moment next) {}

    /** A phase begins. */
    default void begin(Moment phase) {}

    /** The work of a phase is done: what is freed here is gone when memory is read. */
    default void end(Moment phase) {}

    /**
     * {@code optimizer.zero_grad()}.
     *
     * @param own lets go of all gradients ({@code set_to_none=True})
     */
    default void zeroGrad(Runnable own) {
        own.run();
    }

    /** A library's training loop that runs in place of the script's; {@code null} for none. */
    default @Nullable LibraryLoop library() {
        return null;
    }

    /** Whether this hook brings batches, the first in the phase of inputs; else one batch serves all steps. */
    default boolean feeds() {
        return false;
    }

    /** Whether a phase follows the model's in which the model is wrapped and the optimizer made. */
    default boolean wraps() {
        return false;
    }

    /**
     * Makes the model.
     *
     * @param own makes the whole model
     */
    default ModelTensors model(Supplier<ModelTensors> own) {
        return own.get();
    }

    /**
     * The passes of a step, between letting go of the gradients and the optimizer.
     *
     * @param own forward, loss and backward, as often as gradients are accumulated
     */
    default void passes(int step, Runnable own) {
        own.run();
    }

    /** Where the model's modules go. */
    default Placement placement(Placement own) {
        return own;
    }

    /**
     * What the loss compares with, where it was made.
     *
     * @return the same, or a local variable
     */
    default Tensor target(Tensor made) {
        return made;
    }

    /**
     * How the model is called.
     *
     * @param own calls it on one GPU
     */
    default ForwardPass forward(ForwardPass own) {
        return own;
    }

    /**
     * The loss of an output.
     *
     * @param own takes it of a tensor like the model's first output; returns a local variable, or the output itself
     */
    default Tensor loss(Tensor output, UnaryOperator<Tensor> own) {
        return own.apply(output);
    }

    /**
     * Makes the optimizer.
     *
     * @param parameters of the model, in the order of {@code parameters()}
     * @param own makes one of some parameters; it makes {@code null} for a run without optimizer
     * @return whose states are by position in {@code parameters}
     */
    default @Nullable Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> own) {
        return own.apply(parameters);
    }

    /**
     * The optimizer's parameter groups, for an engine that steps each on its own.
     *
     * @param trained parameters that want gradients
     * @return groups that have any; {@code null} for one of all
     */
    default @Nullable List<List<Tensor>> parameterGroups(List<Tensor> trained) {
        return null;
    }

    /**
     * What is done around the operators of the forward pass; {@code null} for nothing. Asked once the model is
     * wrapped.
     */
    default @Nullable NodeHook nodes() {
        return null;
    }

    /**
     * What the model returns.
     *
     * @param made by the forward pass, with a reference each that passes over; {@code null} for an output that is no
     *     tensor
     * @return the same, or others with a reference each for the caller
     */
    default Tensor[] outputs(Tensor[] made) {
        return made;
    }

    /**
     * What {@code backward()} is called on.
     *
     * @return the loss itself, or a local variable that was computed from it
     */
    default Tensor root(Tensor loss) {
        return loss;
    }

    /**
     * {@code loss.backward()}, while what {@link #root} made is still there.
     *
     * @param own runs the backward pass
     */
    default void backward(Runnable own) {
        own.run();
    }

    /**
     * {@code clip_grad_norm_}, of a run that clips. Here an earlier hook is around the later ones: who scales
     * gradients does so before a wrapper clips them its own way.
     *
     * @param own clips the gradients of all parameters
     */
    default void clip(Runnable own) {
        own.run();
    }

    /**
     * Gradients were clipped.
     *
     * @param total what {@code clip_grad_norm_} returns
     */
    default void clipped(Tensor total) {}

    /**
     * Whether a library's engine has the steps in hand: it lets go of gradients and divides losses by the passes of a
     * step itself, so that the script has no {@code zero_grad}, no division and no clipping.
     */
    default boolean leadsSteps() {
        return false;
    }

    /**
     * A tensor of each rank, in one.
     *
     * @param own of this rank: a scalar, or rows
     * @return (ranks), or the rows of all: a local variable of the running frame; {@code null} from who knows no other
     *     ranks
     */
    default @Nullable Tensor gather(Tensor own) {
        return null;
    }

    /**
     * Adds what it remembers to what a step depends on, and a pass after the first of its step; beside that, neither
     * depends on its number, unless it {@link #differs}. Nobody knows what a hook remembers that does not say.
     */
    default void describe(Beginning to) {
        to.unknown();
    }

    /**
     * Whether what it does in a pass of a step depends on their numbers. Where it does in any of a step's, it does in
     * the last.
     */
    default boolean differs(int step, int pass) {
        return false;
    }

    /** A step of the plain loop is over; phases of a hook's own may follow. */
    default void stepped(int step) {}

    /**
     * A gradient scaler has looked for infinities in the gradients.
     *
     * @param foundInf the scalar with the answer
     */
    default void lookedForInfinities(Tensor foundInf) {}

    /**
     * {@code optimizer.step()}.
     *
     * @param own steps the optimizer
     */
    default void step(Runnable own) {
        own.run();
    }

    /** The same, of a hook that tells optimizers apart. */
    default void step(Runnable own, Optimizer which) {
        step(own);
    }

    /** {@code scaler.unscale_(optimizer)}, of a loop that says so; nothing where there is no gradient scaler. */
    default void unscale(Optimizer of) {}

    /** {@code scaler.update()}, of a loop that says so. */
    default void updateScale() {}
}
