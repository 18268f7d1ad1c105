package dev.headroom.allocator;

import dev.headroom.allocator.trace.TraceFile;
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
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * How many operations a second the allocator does on recorded training runs, with the garbage collector that the
 * launcher takes; run {@link #main}.
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
    public String trace;

    /** In the syntax of PYTORCH_CUDA_ALLOC_CONF. */
    @Param({"", "expandable_segments:True"})
    public String conf;

    private EventStream stream;
    private CachingAllocator allocator;

    /** Reads the trace; the allocator keeps its segments between the runs, as between training steps. */
    @Setup
    public void read() throws IOException {
        stream = EventStream.of(
                TraceFile.open(Fixtures.root().resolve("allocator/traces").resolve(trace + ".json.gz")));
        allocator = new CachingAllocator(AllocatorSettings.parse(conf), new SimulatedDeviceMemory(140L << 30));
    }

    /** One operation is one allocate or one free. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public CachingAllocator trainingRun() {
        stream.run(allocator, OPERATIONS);
        return allocator;
    }

    /** Runs all benchmarks, or those that match the first argument. */
    public static void main(String[] args) throws RunnerException {
        String which = args.length > 0 ? args[0] : AllocatorBenchmark.class.getSimpleName();
        new Runner(new OptionsBuilder().include(which).build()).run();
    }
}
