package dev.headroom.model.run;

import java.util.Arrays;
import java.util.Optional;

/** A part of a run at whose end memory is read; under the names that recordings of PyTorch and JSON have for them. */
public enum Phase {
    /** The model's weights are brought to the device, where a run loads them in a phase of its own. */
    LOAD("load"),
    /** A model with quantised weights is prepared for training. */
    PREPARE("prepare"),
    /** The model is brought to the device, and the optimizer is made. */
    MODEL("model"),
    /** A library's trainer makes the optimizer and what it counts with. */
    TRAIN_BEGIN("train_begin"),
    /** The model is wrapped for several GPUs, and the optimizer is made. */
    WRAP("wrap"),
    /** The batch and its labels are brought to the device. */
    INPUTS("inputs"),
    /** {@code optimizer.zero_grad()}. */
    ZERO_GRAD("zero_grad"),
    /** {@code outputs = model(inputs)}. */
    FORWARD("forward"),
    /** {@code loss = criterion(outputs, target)}; the end of autocast's region belongs to it. */
    LOSS("loss"),
    /** {@code loss.backward()}. */
    BACKWARD("backward"),
    /** The gradients of parameters alone, where a pipeline computes them apart from those of activations. */
    BACKWARD_WEIGHT("backward_weight"),
    /** All microbatches of a step have gone through a pipeline. */
    SCHEDULE("schedule"),
    /** A library's {@code step()} after a pass of an accumulated step that is not the last: nothing is stepped. */
    STEP("step"),
    /** {@code clip_grad_norm_}, where gradients are clipped. */
    CLIP("clip"),
    /** {@code optimizer.step()}. */
    OPTIMIZER("optimizer"),
    /** A running average of a model takes in the model as it is now. */
    AVERAGE("average"),
    /** A library's trainer evaluates the model between two steps. */
    EVALUATE("evaluate"),
    /** The first forward pass of {@code generate()}, over the prompt. */
    PREFILL("prefill"),
    /** A further forward pass of {@code generate()}, over one token; the step is its number. */
    DECODE("decode"),
    /** {@code generate()} has returned. */
    GENERATE("generate");

    private final String label;

    Phase(String label) {
        this.label = label;
    }

    /** The name in recordings, JSON and reports. */
    public String label() {
        return label;
    }

    /** The phase of a label; empty for one that is not known. */
    public static Optional<Phase> of(String label) {
        return Arrays.stream(values()).filter(p -> p.label.equals(label)).findFirst();
    }

    /** The {@link #label}. */
    @Override
    public String toString() {
        return label;
    }
}
