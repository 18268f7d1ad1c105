package dev.headroom.model.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a module is shared (torch/distributed/tensor/parallel/style.py).
 *
 * @param kind which of the styles
 * @param inputs layouts of the arguments as they come, {@code null} for one that is left alone
 * @param desiredInputs layouts that the module is to see
 * @param outputs layouts of the results as the module makes them; of {@link Kind#PREPARE} only
 * @param desiredOutputs layouts that the caller is to see; empty where results are left alone
 * @param localInput whether the module is given plain tensors
 * @param localOutput whether the caller is given plain tensors
 */
public record ModuleStyle(
        Kind kind,
        List<Placement> inputs,
        List<Placement> desiredInputs,
        List<Placement> outputs,
        List<Placement> desiredOutputs,
        boolean localInput,
        boolean localOutput) {
    /** The styles; {@code PREPARE} stands for PrepareModuleInput, PrepareModuleOutput and PrepareModuleInputOutput. */
    public enum Kind {
        COLWISE,
        ROWWISE,
        SEQUENCE,
        PREPARE
    }

    public ModuleStyle {
        inputs = Collections.unmodifiableList(new ArrayList<>(inputs));
        desiredInputs = Collections.unmodifiableList(new ArrayList<>(desiredInputs));
        outputs = Collections.unmodifiableList(new ArrayList<>(outputs));
        desiredOutputs = Collections.unmodifiableList(new ArrayList<>(desiredOutputs));
    }

    /** What comes in first; {@code null} where it is left alone. */
    public @Nullable Placement input() {
        return inputs.isEmpty() ? null : inputs.get(0);
    }

    /** What comes in first, of a style that shares the module. */
    public Placement givenInput() {
        return Objects.requireNonNull(input(), "a layout of the input");
    }

    /** What the caller sees first, of a style that shares the module. */
    public Placement givenOutput() {
        return Objects.requireNonNull(output(), "a layout of the output");
    }

    /** What the caller sees first. */
    public @Nullable Placement output() {
        return desiredOutputs.isEmpty() ? null : desiredOutputs.get(0);
    }
}
