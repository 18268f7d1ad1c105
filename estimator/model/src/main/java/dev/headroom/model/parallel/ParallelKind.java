package dev.headroom.model.parallel;

/** Ways to spread a run over GPUs, under the names of the command line. */
public enum ParallelKind {
    /** One GPU. */
    SINGLE("none"),
    /** {@code nn.DataParallel}: one process, the batch is split over its devices. */
    DP("dp"),
    /** One process, the layers are split over its devices. */
    MP("mp"),
    DDP("ddp"),
    FSDP1("fsdp1"),
    FSDP2("fsdp2"),
    ZERO1("zero1"),
    ZERO2("zero2"),
    ZERO3("zero3"),
    TP("tp"),
    TP_FSDP2("tp+fsdp2"),
    PP("pp");

    private final String option;

    ParallelKind(String option) {
        this.option = option;
    }

    /** The name on the command line. */
    public String option() {
        return option;
    }

    /** Whether one process has all devices. */
    public boolean isOneProcess() {
        return this == DP || this == MP;
    }

    public boolean isFullySharded() {
        return this == FSDP1 || this == FSDP2 || this == TP_FSDP2;
    }

    public boolean isDeepSpeed() {
        return this == ZERO1 || this == ZERO2 || this == ZERO3;
    }

    public boolean isTensor() {
        return this == TP || this == TP_FSDP2;
    }
}
