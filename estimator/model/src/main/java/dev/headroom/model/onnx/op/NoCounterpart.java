package dev.headroom.model.onnx.op;

/** Thrown for a call that no ATen call stands for. */
final class NoCounterpart extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoCounterpart() {
        super(null, null, false, false);
    }
}
