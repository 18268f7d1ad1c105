package dev.headroom.model.scenario;

/** The optimizers of {@code --optimizer}. */
public enum OptimizerKind {
    SGD("sgd"),
    SGD_MOMENTUM("sgd-momentum"),
    ADAM("adam"),
    ADAMW("adamw"),
    RMSPROP("rmsprop"),
    ADAGRAD("adagrad"),
    ADAFACTOR("adafactor"),
    /** Of bitsandbytes. */
    ADAM_8BIT("adam8bit"),
    /** Of bitsandbytes. */
    ADAMW_8BIT("adamw8bit"),
    NONE("none");

    private final String option;

    OptimizerKind(String option) {
        this.option = option;
    }

    /** The name on the command line. */
    public String option() {
        return option;
    }
}
