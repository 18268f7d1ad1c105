package dev.headroom.model.onnx.op;

/** Writes what an operator is in PyTorch. */
@FunctionalInterface
interface Mapping {
    /** @throws NoCounterpart if PyTorch has nothing for this very call */
    void write(Call call);
}
