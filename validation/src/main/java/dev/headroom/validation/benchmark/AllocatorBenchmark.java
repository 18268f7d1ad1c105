package dev.headroom.validation.benchmark;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How many operations a second the allocator does on recorded training runs, with the garbage collector that the
 * launcher takes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 2, jvmArgsAppend = "-XX:+UseSerialGC")
public class AllocatorBenchmark {
    private static final int OPERATIONS = 1 << 16;

    /** Recorded runs below the folder of traces. */
    @Param({"gpt2-b8-512-adamw", "resnet50-b32-adamw-amp16", "resnet18-b128-none"})
    String trace;

    /** In the syntax of PYTORCH_CUDA_ALLOC_CONF. */
    @Param({"", "expandable_segments:True"})
    String conf;

    private EventStream stream;
    private CachingAllocator allocator;

    /** Reads the trace; the allocator keeps its segments between the runs, as between training steps. */
    @Setup
    public void read() throws IOException {
        stream = EventStream.recorded(trace);
        allocator = new CachingAllocator(AllocatorSettings.parse(conf), new SimulatedDeviceMemory(140L << 30));
    }

    /** One operation is one allocate or one free. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public CachingAllocator trainingRun() {
        stream.run(allocator, OPERATIONS);
        return allocator;
    }
}
