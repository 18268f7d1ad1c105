package dev.headroom.model.scenario;

import java.util.List;

/**
 * Over how many GPUs a run is spread, and how.
 *
 * @param kind how
 * @param world ranks; devices where one process has several
 * @param rank whose memory is asked for; {@code null} for the rank that takes most
 * @param mesh ranks in a grid, such as 2 by 4; empty for a row
 * @param build where the model is before it is wrapped
 * @param eventsLag the device lags behind the host; else it keeps up
 * @param noSync gradients are reduced only in the last pass of an accumulated step
 * @param cpuOffload parameters or optimizer states live in host memory
 * @param ddp of DistributedDataParallel
 * @param sharding of FullyShardedDataParallel
 * @param zero of DeepSpeed
 * @param tensor of tensor parallelism
 * @param pipeline of pipelines
 */
public record Parallelism(
        ParallelKind kind,
        int world,
        Integer rank,
        List<Integer> mesh,
        Build build,
        boolean eventsLag,
        boolean noSync,
        boolean cpuOffload,
        DdpOptions ddp,
        ShardingOptions sharding,
        ZeroOptions zero,
        TensorOptions tensor,
        PipelineOptions pipeline) {
    public static final Parallelism DEFAULTS = new Parallelism(
            ParallelKind.SINGLE,
            1,
            null,
            List.of(),
            Build.CUDA,
            false,
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
        META
    }

    /** GPUs of a process. */
    public int devices() {
        return kind.isOneProcess() ? world : 1;
    }

    public Parallelism {
        mesh = List.copyOf(mesh);
    }

    Parallelism withKind(ParallelKind value) {
        return new Parallelism(
                value, world, rank, mesh, build, eventsLag, noSync, cpuOffload, ddp, sharding, zero, tensor, pipeline);
    }

    Parallelism withWorld(int value) {
        return new Parallelism(
                kind, value, rank, mesh, build, eventsLag, noSync, cpuOffload, ddp, sharding, zero, tensor, pipeline);
    }

    Parallelism withRank(Integer value) {
        return new Parallelism(
                kind, world, value, mesh, build, eventsLag, noSync, cpuOffload, ddp, sharding, zero, tensor, pipeline);
    }

    Parallelism withMesh(List<Integer> value) {
        return new Parallelism(
                kind, world, rank, value, build, eventsLag, noSync, cpuOffload, ddp, sharding, zero, tensor, pipeline);
    }

    Parallelism withBuild(Build value) {
        return new Parallelism(
                kind, world, rank, mesh, value, eventsLag, noSync, cpuOffload, ddp, sharding, zero, tensor, pipeline);
    }

    Parallelism withEventsLag(boolean value) {
        return new Parallelism(
                kind, world, rank, mesh, build, value, noSync, cpuOffload, ddp, sharding, zero, tensor, pipeline);
    }

    Parallelism withNoSync(boolean value) {
        return new Parallelism(
                kind, world, rank, mesh, build, eventsLag, value, cpuOffload, ddp, sharding, zero, tensor, pipeline);
    }

    Parallelism withCpuOffload(boolean value) {
        return new Parallelism(
                kind, world, rank, mesh, build, eventsLag, noSync, value, ddp, sharding, zero, tensor, pipeline);
    }

    Parallelism withDdp(DdpOptions value) {
        return new Parallelism(
                kind, world, rank, mesh, build, eventsLag, noSync, cpuOffload, value, sharding, zero, tensor, pipeline);
    }

    Parallelism withSharding(ShardingOptions value) {
        return new Parallelism(
                kind, world, rank, mesh, build, eventsLag, noSync, cpuOffload, ddp, value, zero, tensor, pipeline);
    }

    Parallelism withZero(ZeroOptions value) {
        return new Parallelism(
                kind, world, rank, mesh, build, eventsLag, noSync, cpuOffload, ddp, sharding, value, tensor, pipeline);
    }

    Parallelism withTensor(TensorOptions value) {
        return new Parallelism(
                kind, world, rank, mesh, build, eventsLag, noSync, cpuOffload, ddp, sharding, zero, value, pipeline);
    }

    Parallelism withPipeline(PipelineOptions value) {
        return new Parallelism(
                kind, world, rank, mesh, build, eventsLag, noSync, cpuOffload, ddp, sharding, zero, tensor, value);
    }
}
