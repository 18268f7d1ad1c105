package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.program.GraphRunner;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.GradNode;
import dev.headroom.estimator.runtime.ModuleHooks;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.parts.Division;
import dev.headroom.model.parts.Part;
import dev.headroom.model.run.PreparedRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A stage of a pipeline on its rank (torch/distributed/pipelining/stage.py, PipelineStage). */
final class Stage {
    private final TrainingLoop loop;
    private final EagerRuntime runtime;
    private final PreparedRun rows;
    private final Part part;
    private final int index;
    private final int count;
    private final ModelTensors model;
    private final Division division;
    private final List<StageRegime> regimes;
    private final ModuleHooks.Model modules = new ModuleHooks.Model();
    private final Buffers buffers;
    private @Nullable GraphRunner runner;
    private @Nullable GraphRunner lossRunner;

    /** By microbatch: output and input, until its backward pass. */
    private final Map<Integer, Tensor[]> forwarded = new HashMap<>();

    /** By microbatch: gradient of the input, until it is sent; {@code null} for none. */
    private final Map<Integer, Tensor> inputGradients = new HashMap<>();

    /** By microbatch: what is left to do for weights. */
    private final Map<Integer, Waiting> waiting = new HashMap<>();

    private final List<Tensor> outputChunks = new ArrayList<>();

    /**
     * @param rows the run of one microbatch
     * @param index among the parts
     * @param model its own parameters and buffers
     */
    Stage(
            TrainingLoop loop,
            PreparedRun rows,
            Division division,
            int index,
            ModelTensors model,
            List<StageRegime> regimes) {
        this.loop = loop;
        this.runtime = loop.runtime();
        this.rows = rows;
        this.division = division;
        this.part = division.parts().get(index);
        this.index = index;
        this.count = division.parts().size();
        this.model = model;
        this.regimes = regimes;
        this.buffers = new Buffers(loop, rows, division, index, regimes);
    }

    /** Does something with the stage's own modules. */
    private void inside(Runnable work) {
        runtime.modules().inside(modules, work);
    }

    /** Adds how often each of its nodes ran, by position in the whole graph. */
    void addExecutions(int[] whole) {
        int[] own = runner().runs().executions();
        int before = own.length - part.count();
        for (int i = 0; i < part.count(); i++) {
            whole[part.from() + i] += own[before + i];
        }
    }

    void wrap() {
        inside(() -> regimes.forEach(StageRegime::wrap));
        runner = loop.runner(rows, part.plan());
        regimes.forEach(r -> runner().around(r.nodes()));
    }

    void pause() {
        regimes.forEach(StageRegime::pause);
    }

    void unshard() {
        regimes.forEach(StageRegime::unshard);
    }

    void waitForUnshard() {
        regimes.forEach(StageRegime::waitForUnshard);
    }

    void reshard() {
        regimes.forEach(StageRegime::reshard);
    }

    /** perform_reduce_grad; gradients are scaled in place. */
    void reduceGradients() {
        regimes.forEach(StageRegime::reduceGradients);
    }

    int index() {
        return index;
    }

    boolean isFirst() {
        return index == 0;
    }

    boolean isLast() {
        return index == count - 1;
    }

    ModelTensors model() {
        return model;
    }

    /** Where activations and gradients arrive. */
    Buffers buffers() {
        return buffers;
    }

    /**
     * forward_one_chunk.
     *
     * @param given rows of the user's input for the first stage; borrowed
     * @return the output, borrowed
     */
    Tensor forward(int microbatch, @Nullable Tensor given) {
        Map<String, Tensor> values = new HashMap<>(model.byValue());
        Tensor input = isFirst() ? Objects.requireNonNull(given, "rows of the batch") : buffers.input(microbatch);
        if (!isFirst()) {
            runtime.requireGrad(input, true);
        }
        values.put(part.inputs().get(0), input);
        Tensor[] made = new Tensor[1];
        inside(() -> {
            regimes.forEach(StageRegime::beforeForward);
            made[0] = runner().run(values)[0];
            for (StageRegime r : regimes) {
                made[0] = r.output(made[0]);
            }
        });
        Tensor output = made[0];
        if (isLast()) {
            outputChunks.add(runtime.hold(output));
        }
        forwarded.put(microbatch, new Tensor[] {output, runtime.hold(input)});
        return output;
    }

    /** The loss as the model itself computes it; a local variable of the running frame. */
    Tensor ownLoss(Tensor output, Map<String, Tensor> labels) {
        if (lossRunner == null) {
            GraphRunner made =
                    loop.runner(rows, Objects.requireNonNull(division.loss()).plan());
            regimes.forEach(r -> made.around(r.nodes()));
            lossRunner = made;
        }
        Map<String, Tensor> values = new HashMap<>(model.byValue());
        values.putAll(labels);
        values.put(part.outputs().get(0), output);
        Tensor made = lossRunner.run(values)[0];
        runtime.adopt(made);
        return made;
    }

    /** The output of a microbatch whose backward pass is to come; borrowed. */
    Tensor output(int microbatch) {
        return forwarded(microbatch)[0];
    }

    private Tensor[] forwarded(int microbatch) {
        return present(forwarded.get(microbatch), microbatch);
    }

    private static <T> T present(@Nullable T kept, int microbatch) {
        return Objects.requireNonNull(kept, () -> "nothing is kept of microbatch " + microbatch);
    }

    /** What is sent to the next stage: an alias of the output, a local variable of the running frame. */
    Tensor sentOutput(int microbatch) {
        return runtime.detach(forwarded(microbatch)[0]);
    }

    /** backward_one_chunk, of all gradients. */
    void backward(int microbatch, @Nullable Tensor loss, boolean last) {
        Tensor[] of = present(forwarded.remove(microbatch), microbatch);
        regimes.forEach(r -> r.beforeBackward(last));
        try (Frame frame = runtime.frame()) {
            Tensor root = isLast() ? present(loss, microbatch) : of[0];
            Tensor gradient = isLast() ? runtime.emptyLike(root) : buffers.gradient(microbatch);
            inside(() -> loop.engine().backward(root, gradient));
        }
        finishBackward(microbatch, of, takeGradient(of[1]));
    }

    /** backward_one_chunk without gradients of weights (stage_backward_input); the first stage leaves all to later. */
    void backwardInput(int microbatch, @Nullable Tensor loss) {
        Tensor[] of = present(forwarded.remove(microbatch), microbatch);
        Tensor root = isLast() ? present(loss, microbatch) : of[0];
        WeightGroups groups = null;
        Tensor gradient = null;
        if (!isFirst()) {
            regimes.forEach(r -> r.beforeBackward(false));
            try (Frame frame = runtime.frame()) {
                Tensor begin = isLast() ? runtime.emptyLike(root) : buffers.gradient(microbatch);
                groups = new WeightGroups(runtime, root, of[1], parameters());
                Tensor[] made = new Tensor[1];
                inside(() -> made[0] = gradientOfInput(root, begin, of[1]));
                gradient = made[0];
                groups.stopCatching();
                runtime.setGrad(of[1], gradient);
                root.detachInPlace(runtime);
            }
        }
        runtime.hold(root);
        waiting.put(microbatch, new Waiting(root, runtime.hold(of[1]), groups));
        finishBackward(microbatch, of, gradient);
    }

    private List<Tensor> parameters() {
        return model.parameters().stream()
                .map(p -> {
                    Tensor now = p;
                    for (StageRegime r : regimes) {
                        now = r.registered(now);
                    }
                    return now;
                })
                .toList();
    }

    private Tensor gradientOfInput(Tensor root, Tensor begin, Tensor input) {
        GradNode accumulator = runtime.tape().holdAccumulator(input);
        GradNode first = runtime.tape().hold(Objects.requireNonNull(root.gradNode()));
        Tensor made = loop.engine()
                .gradients(
                        List.of(new AutogradEngine.Root(first, root.outputNumber())),
                        new Tensor[] {begin},
                        List.of(accumulator),
                        true)[0];
        runtime.tape().release(accumulator);
        return made;
    }

    /** backward_weight_one_chunk. */
    void backwardWeight(int microbatch, boolean last) {
        Waiting w = present(waiting.remove(microbatch), microbatch);
        regimes.forEach(r -> r.beforeBackward(last));
        inside(() -> {
            if (w.groups == null) {
                loop.engine().backward(w.root, buffers.gradient(microbatch));
            } else {
                w.groups.accumulate(loop.engine());
            }
        });
        runtime.release(w.root);
        runtime.release(w.input);
    }

    /** What the gradients of weights are computed from. */
    private record Waiting(
            Tensor root, Tensor input, @Nullable WeightGroups groups) {}

    private @Nullable Tensor takeGradient(Tensor input) {
        Tensor grad = runtime.hold(input.grad());
        runtime.setGrad(input, null);
        return grad;
    }

    private void finishBackward(int microbatch, Tensor[] of, @Nullable Tensor gradient) {
        if (isFirst()) {
            runtime.release(gradient);
        } else {
            inputGradients.put(microbatch, gradient);
        }
        if (isLast() && !isFirst() && !of[0].isView()) { // views cannot be detached in place
            of[0].detachInPlace(runtime);
        }
        runtime.release(of[0]);
        runtime.release(of[1]);
    }

    /** The gradient of an input, with the reference that the stage had. */
    Tensor takeInputGradient(int microbatch) {
        return present(inputGradients.remove(microbatch), microbatch);
    }

    /** clear_runtime_states. */
    void clear() {
        forwarded.values().forEach(of -> {
            runtime.release(of[0]);
            runtime.release(of[1]);
        });
        forwarded.clear();
        outputChunks.forEach(runtime::release);
        outputChunks.clear();
        buffers.dropGradients();
    }

    /** What the last stage made, by microbatch; borrowed. */
    List<Tensor> outputChunks() {
        return outputChunks;
    }

    private GraphRunner runner() {
        return Objects.requireNonNull(runner, "the stage is not wrapped yet");
    }
}
