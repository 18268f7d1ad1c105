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
    PP("pp"),
    /** Pipelines side by side, each stage under DistributedDataParallel. */
    PP_DDP("pp+ddp"),
    /** Each stage divided by {@code fully_shard}. */
    PP_FSDP2("pp+fsdp2"),
    /** Each stage's layers shared. */
    PP_TP("pp+tp"),
    /** All three: stages, divided data, shared layers. */
    PP_FSDP2_TP("3d");

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
        return this == FSDP1 || shardsWithFsdp2();
    }

    /** Whether {@code fully_shard} divides parameters. */
    public boolean shardsWithFsdp2() {
        return this == FSDP2 || this == TP_FSDP2 || this == PP_FSDP2 || this == PP_FSDP2_TP;
    }

    /** Whether DistributedDataParallel reduces gradients. */
    public boolean isReplicated() {
        return this == DDP || this == PP_DDP;
    }

    /** Whether ranks have stages of the model. */
    public boolean isPipeline() {
        return this == PP || this == PP_DDP || this == PP_FSDP2 || this == PP_TP || this == PP_FSDP2_TP;
    }

    /** Whether ranks of the same stage are several. */
    public boolean isPipelineInGrid() {
        return isPipeline() && this != PP;
    }

    public boolean isDeepSpeed() {
        return this == ZERO1 || this == ZERO2 || this == ZERO3;
    }

    public boolean isTensor() {
        return this == TP || this == TP_FSDP2 || this == PP_TP || this == PP_FSDP2_TP;
    }
}
