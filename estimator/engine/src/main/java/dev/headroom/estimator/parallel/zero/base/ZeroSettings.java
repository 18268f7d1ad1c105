package dev.headroom.estimator.parallel.zero.base;

import dev.headroom.model.deepspeed.DeepSpeedConfig;
import dev.headroom.model.deepspeed.GradientReduction;
import dev.headroom.model.deepspeed.Offload;
import dev.headroom.model.deepspeed.ParameterFetching;
import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.ZeroOptions;
import dev.headroom.model.scenario.Scenario;

/**
 * What a run asks of ZeRO, with the library's defaults (deepspeed/runtime/zero/config.py).
 *
 * @param stage 1, 2 or 3
 * @param overlaps gradients are reduced on a stream of their own
 * @param subGroup most elements that stage 3 steps at once
 * @param checksOverflow steps look for gradients that are no numbers
 * @param clips gradients are clipped
 * @param passes of a step
 */
public record ZeroSettings(
        int stage,
        GradientReduction reduction,
        boolean overlaps,
        ParameterFetching fetching,
        Offload offload,
        long subGroup,
        boolean checksOverflow,
        boolean clips,
        int passes) {
    private static final int LAST_STAGE = 3;

    public static ZeroSettings of(Scenario run) {
        ZeroOptions options = run.parallel().zero();
        DeepSpeedConfig config = DeepSpeedConfig.parse(options.dsConfig());
        int stage = run.parallel().kind() == ParallelKind.ZERO1
                ? 1
                : run.parallel().kind() == ParallelKind.ZERO2 ? 2 : LAST_STAGE;
        Boolean overlaps = options.overlapComm() != null
                ? options.overlapComm()
                : config.zero().reduction().overlaps();
        Offload offload = config.zero().offload();
        DType type = run.precision().dtype();
        return new ZeroSettings(
                stage,
                config.zero().reduction(),
                overlaps == null ? stage == LAST_STAGE : overlaps,
                config.zero().fetching(),
                new Offload(
                        offload.optimizer() || run.parallel().cpuOffload(),
                        offload.parameters() || options.paramOffload()),
                config.zero().subGroup(),
                type == DType.FLOAT16
                        || type == DType.BFLOAT16 && config.training().checksOverflow(),
                config.training().clips() || run.loop().clipGradNorm() != null,
                run.loop().accumulate());
    }
}
