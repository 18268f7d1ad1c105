package dev.headroom.executor.parallel.pipeline;

import dev.headroom.executor.autograd.BackwardPass;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.GradientSums;
import dev.headroom.executor.parallel.pipeline.Messages.Op;
import dev.headroom.executor.program.ModelMemory;
import dev.headroom.executor.program.Program;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.parts.Part;
import dev.headroom.model.run.PreparedRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A stage of the model with its buffers and what it keeps of microbatches (stage.py, PipelineStage). */
final class Stage {
    /** What a forward pass leaves for the backward pass (fwd_cache). */
    private record Passed(Tensor output, @Nullable Tensor input) {}

    private final Eager eager;
    private final int index;
    private final StageLayout layout;
    private final Part part;
    private final ModelMemory model;
    private final Program program;
    private final BackwardPass backwardPass;
    private final List<Tensor> inputBuffers = new ArrayList<>();
    private final List<Tensor> gradientBuffers = new ArrayList<>();
    private final Map<Integer, Passed> passed = new HashMap<>();
    private final Map<Integer, Tensor> inputGradients = new HashMap<>();
    private final List<Tensor> outputChunks = new ArrayList<>();

    Stage(Eager eager, PreparedRun rows, Part part, ModelMemory model, int index, StageLayout layout) {
        this.eager = eager;
        this.index = index;
        this.layout = layout;
        this.part = part;
        this.model = model;
        this.backwardPass = new BackwardPass(eager.tape(), new GradientSums(eager));
        this.program = new Program(eager, part.plan(), rows.symbols(), backwardPass);
    }

    int index() {
        return index;
    }

    boolean isFirst() {
        return index == 0;
    }

    boolean isLast() {
        return index == layout.stages() - 1;
    }

    ModelMemory model() {
        return model;
    }

    /** clear_runtime_states. */
    void clear() {
        passed.values().forEach(this::release);
        passed.clear();
        outputChunks.forEach(eager::release);
        outputChunks.clear();
        inputBuffers.forEach(t -> eager.setGrad(t, null));
    }

    private void release(Passed p) {
        eager.release(p.output);
        eager.release(p.input);
    }

    /** _setup_forward_recv_info. */
    void makeInputBuffers(@Nullable Boundary given, int microbatches) {
        for (int m = 0; given != null && m < microbatches; m++) {
            Tensor buffer = given.buffer(eager);
            inputBuffers.add(buffer);
            buffer.requireGrad(buffer.dtype().isFloatingPoint());
        }
    }

    /** _setup_backward_recv_info. */
    void makeGradientBuffers(Boundary made, int microbatches) {
        for (int m = 0; m < microbatches && !isLast(); m++) {
            gradientBuffers.add(made.buffer(eager));
        }
    }

    /**
     * forward_one_chunk.
     *
     * @param given to the first stage, by value name; borrowed
     * @return with a reference for the caller
     */
    Tensor forward(int chunk, Map<String, Tensor> given) {
        Map<String, Tensor> values = new HashMap<>(model.byValue());
        values.putAll(given);
        Tensor input = isFirst() ? null : inputBuffers.get(chunk);
        if (input != null) {
            values.put(part.inputs().get(0), input);
        }
        Tensor[] made = program.run(values);
        Tensor output = Arrays.stream(made).filter(Objects::nonNull).findFirst().orElseThrow();
        if (isLast()) {
            outputChunks.add(eager.hold(output));
        }
        passed.put(chunk, new Passed(eager.hold(output), eager.hold(input)));
        eager.hold(output);
        Arrays.stream(made).forEach(eager::release);
        return output;
    }

    /**
     * backward_one_chunk.
     *
     * @param loss of the microbatch, for the last stage, else {@code null}
     */
    void backward(int chunk, @Nullable Tensor loss) {
        Passed p = Objects.requireNonNull(passed.remove(chunk), "a forward pass");
        try (Scope s = eager.open()) {
            if (loss != null) {
                Tensor one = eager.emptyLike(loss);
                Elementwise.fill(eager, one, 1);
                backwardPass.run(loss, one);
            } else {
                backwardPass.run(p.output, gradientBuffers.get(chunk));
            }
            if (p.input != null) {
                inputGradients.put(chunk, eager.hold(p.input.grad()));
                eager.setGrad(p.input, null);
            }
            if (isLast() && !isFirst() && p.output.base() == null) {
                eager.tape().forget(p.output);
            }
        } finally {
            release(p);
        }
    }

    /** set_local_fwd_input: what a stage of the same rank made, in the place of the buffer. */
    void takeInput(int chunk, Tensor output) {
        try (Scope s = eager.open()) {
            Tensor given = eager.hold(eager.detach(output));
            given.requireGrad(given.dtype().isFloatingPoint());
            eager.release(inputBuffers.set(chunk, given));
        }
    }

    /** set_local_bwd_input; the reference passes over; {@code null} where the input has no gradient. */
    void takeGradient(int chunk, @Nullable Tensor gradient) {
        eager.release(gradientBuffers.set(chunk, gradient));
    }

    /** get_local_bwd_output; with the reference. */
    @Nullable
    Tensor takeInputGradient(int chunk) {
        return inputGradients.remove(chunk);
    }

    /** get_fwd_recv_ops; with a reference each. */
    List<Op> forwardReceives(int chunk) {
        return isFirst() ? List.of() : List.of(receive(inputBuffers.get(chunk), index - 1, "forward " + index));
    }

    /** get_bwd_recv_ops; with a reference each. */
    List<Op> backwardReceives(int chunk) {
        return isLast() ? List.of() : List.of(receive(gradientBuffers.get(chunk), index + 1, "backward " + index));
    }

    private Op receive(Tensor buffer, int stage, String kind) {
        return new Op(false, eager.hold(buffer), layout.rankOf(stage), kind);
    }

    /** get_fwd_send_ops; with a reference each. */
    List<Op> forwardSends(int chunk) {
        if (isLast()) {
            return List.of();
        }
        Tensor output = Objects.requireNonNull(passed.get(chunk), "a forward pass").output;
        try (Scope s = eager.open()) {
            Tensor sent = eager.hold(eager.detach(output));
            return List.of(new Op(true, sent, layout.rankOf(index + 1), "forward " + (index + 1)));
        }
    }

    /** get_bwd_send_ops; with a reference each. */
    List<Op> backwardSends(int chunk) {
        if (isFirst()) {
            return List.of();
        }
        Tensor gradient = Objects.requireNonNull(inputGradients.remove(chunk), "a gradient");
        return List.of(new Op(true, gradient, layout.rankOf(index - 1), "backward " + (index - 1)));
    }

    /** Outputs of all microbatches, borrowed. */
    List<Tensor> outputChunks() {
        return outputChunks;
    }

    void close() {
        clear();
        inputGradients.values().forEach(eager::release);
        inputBuffers.forEach(eager::release);
        gradientBuffers.forEach(eager::release);
        inputGradients.clear();
        inputBuffers.clear();
        gradientBuffers.clear();
        model.close();
    }
}
