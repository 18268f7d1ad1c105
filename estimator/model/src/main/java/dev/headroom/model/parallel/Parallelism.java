package dev.headroom.model.parallel;

import dev.headroom.model.record.Withers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Over how many GPUs a run is spread, and how.
 *
 * @param kind how
 * @param world ranks; devices where one process has several
 * @param rank whose memory is asked for; {@code null} for the rank that takes most
 * @param mesh ranks in a grid, such as 2 by 4; empty for a row. For pipelines whose stages are spread further: ranks of
 *     the pipeline, of the data, of the shared layers, as far as the kind has them
 * @param build where the model is before it is wrapped
 * @param events when the device is done with what it was given
 * @param noSync gradients are reduced only in the last pass of an accumulated step
 * @param cpuOffload parameters or optimizer states live in host memory
 * @param ddp of DistributedDataParallel
 * @param sharding of FullyShardedDataParallel
 * @param zero of DeepSpeed
 * @param tensor of tensor parallelism
 * @param pipeline of pipelines
 */
@Withers
public record Parallelism(
        ParallelKind kind,
        int world,
        @Nullable Integer rank,
        List<Integer> mesh,
        Build build,
        Events events,
        boolean noSync,
        boolean cpuOffload,
        DdpOptions ddp,
        ShardingOptions sharding,
        ZeroOptions zero,
        TensorOptions tensor,
        PipelineOptions pipeline)
        implements ParallelismWithers.With {
    public static final Parallelism DEFAULTS = new Parallelism(
            ParallelKind.SINGLE,
            1,
            null,
            List.of(),
            Build.CUDA,
            Events.DONE,
            false,
            false,
            DdpOptions.DEFAULTS,
            ShardingOptions.DEFAULTS,
            ZeroOptions.DEFAULTS,
            TensorOptions.DEFAULTS,
            PipelineOptions.DEFAULTS);

    /** Where a model is before it is wrapped. */
    public enum Build {
        CUDA,
        CPU,
        META,
        /** Under {@code deepspeed.zero.Init}: each module's parameters are divided as soon as it is made. */
        ZERO_INIT
    }

    /** When the device is done with what it was given: the two bounds of timing. */
    public enum Events {
        /** At once: it keeps up with the host. */
        DONE,
        /** When the host waits for it. */
        LAZY
    }

    public Parallelism {
        mesh = List.copyOf(mesh);
    }

    /**
     * NCCL communicators of a process: one for each group of ranks that it is in, and none among parts of a process.
     */
    public int communicators() {
        return switch (kind) {
            case SINGLE, MP -> 0;
            case DP, DDP, ZERO1, ZERO2, ZERO3, TP, PP -> 1;
            case FSDP1, FSDP2 -> mesh.size() > 1 ? 2 : 1;
            case TP_FSDP2, PP_DDP, PP_FSDP2, PP_TP -> 2;
            case PP_FSDP2_TP -> 3;
        };
    }

    /** Sizes of the grid of ranks, the outermost first: a row where none is given. */
    public List<Integer> grid() {
        return mesh.isEmpty() ? List.of(world) : mesh;
    }

    /** Ranks that share a layer: all where it is not said; of pipelines, the last size of the grid. */
    public int tensorDegree() {
        if (kind.isPipeline()) {
            return kind.isTensor() ? mesh.get(mesh.size() - 1) : 1;
        }
        return tensor.degree() == null ? world : tensor.degree();
    }

    /** Ranks of a pipeline. */
    public int pipelineDegree() {
        return kind.isPipelineInGrid() ? mesh.get(0) : kind.isPipeline() ? world : 1;
    }

    /** Ranks that have the same stage and the same part of its layers. */
    public int dataDegree() {
        return world / (pipelineDegree() * tensorDegree());
    }

    /** GPUs of a process. */
    public int devices() {
        return kind.isOneProcess() ? world : 1;
    }
}
