package dev.headroom.estimator.parallel.zero.flat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Gradients move into the buffer as far as it has room (DeepSpeed's reduce_independent_p_g_buckets_and_remove_grads). */
class GradientBucketTest {
    private static final long CAPACITY = 1024;
    private static final long BYTES = 4 * CAPACITY;

    private final CachingAllocator allocator =
            new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 30));
    private final EagerRuntime runtime =
            new EagerRuntime(allocator, new DeviceModel(9, 0, 132), new KernelOptions(0, Scenario.Attention.AUTO));
    private final GradientBucket bucket = new GradientBucket(runtime, CAPACITY);

    private Tensor parameter(long numel) {
        try (Frame frame = runtime.frame()) {
            Tensor p = Objects.requireNonNull(runtime.hold(runtime.empty(DType.FLOAT32, numel)));
            runtime.requireGrad(p, true);
            runtime.setGrad(p, runtime.emptyLike(p));
            return p;
        }
    }

    private Tensor filled() {
        try (Frame frame = runtime.frame()) {
            return Objects.requireNonNull(runtime.hold(bucket.filled()));
        }
    }

    private long allocated() {
        return allocator.statistics().allocatedBytes().current();
    }

    @Test
    void gradientsBecomePartsOfTheBufferUpToItsLastElement() {
        bucket.makeBuffers(DType.FLOAT32, 1);
        Tensor whole = parameter(CAPACITY);
        long before = allocated();
        bucket.add(whole);
        assertEquals(BYTES, before - allocated(), "its own memory is given back");
        assertEquals(CAPACITY, filled().numel());
        assertEquals(1, bucket.gradients().size());
        bucket.clear();
        assertEquals(0, bucket.gradients().size());
        assertEquals(0, bucket.parameters().size());
    }

    @Test
    void oneThatIsLargerThanTheBufferStaysWhereItIs() {
        bucket.makeBuffers(DType.FLOAT32, 1);
        Tensor large = parameter(CAPACITY + 1);
        long before = allocated();
        bucket.add(large);
        assertEquals(before, allocated());
        assertEquals(CAPACITY + 1, filled().numel());
    }

    @Test
    void thereIsRoomUntilTheLastElement() {
        assertTrue(bucket.hasRoomFor(parameter(CAPACITY)));
        assertFalse(bucket.hasRoomFor(parameter(CAPACITY + 1)));
        bucket.add(parameter(1000));
        assertTrue(bucket.hasRoomFor(parameter(24)));
        assertFalse(bucket.hasRoomFor(parameter(25)));
        bucket.clear();
        assertTrue(bucket.hasRoomFor(parameter(CAPACITY)));
    }

    @Test
    void newBuffersTakeThePlaceOfThoseBefore() {
        long before = allocated();
        bucket.makeBuffers(DType.FLOAT32, 2);
        assertEquals(2 * BYTES, allocated() - before);
        bucket.makeBuffers(DType.BFLOAT16, 1);
        assertEquals(BYTES / 2, allocated() - before);
        bucket.releaseBuffers();
        assertEquals(before, allocated());
    }

    @Test
    void twoBuffersTakeTurns() {
        bucket.makeBuffers(DType.FLOAT32, 2);
        bucket.add(parameter(512));
        Tensor first = filled();
        bucket.clear();
        bucket.turn();
        bucket.add(parameter(512));
        Tensor second = filled();
        bucket.clear();
        bucket.turn();
        bucket.add(parameter(512));
        assertNotSame(first.storage(), second.storage());
        assertSame(first.storage(), filled().storage());
    }
}
