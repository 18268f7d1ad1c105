package dev.headroom.estimator.op.attention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.op.RecordedRows;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Workspaces of cuDNN's attention as an H100 had them. */
class CudnnAttentionTest {
    private static EagerRuntime runtime(boolean stub) {
        return new EagerRuntime(
                new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 40)),
                new DeviceModel(9, 0, 132),
                new KernelOptions(
                        stub ? 0L : null,
                        null,
                        Scenario.Attention.CUDNN,
                        TorchVersion.NEWEST,
                        false,
                        false,
                        CudnnVersion.NEWEST,
                        false,
                        stub,
                        false));
    }

    @Test
    void everyShape() {
        EagerRuntime rt = runtime(false);
        for (String[] row : RecordedRows.of("attention_workspaces.csv.gz")) {
            long[] n = Arrays.stream(row).mapToLong(Long::parseLong).toArray();
            Frame frame = rt.frame();
            Tensor q = rt.empty(DType.FLOAT16, n[0], n[1], n[3], n[5]);
            Tensor k = rt.empty(DType.FLOAT16, n[0], n[2], n[4], n[5]);
            Tensor forward = CudnnAttention.forwardWorkspace(rt, q);
            assertEquals(n[6], forward == null ? 0 : forward.numel(), Arrays.toString(row));
            assertEquals(n[7], CudnnAttention.backwardWorkspace(rt, q, k, k).numel(), Arrays.toString(row));
            frame.close();
        }
    }

    /** Over the stub there are the front end's sums alone. */
    @Test
    void theStubAsksForNothing() {
        EagerRuntime rt = runtime(true);
        Frame frame = rt.frame();
        Tensor q = rt.empty(DType.FLOAT16, 2, 8, 64, 32);
        assertNull(CudnnAttention.forwardWorkspace(rt, q));
        assertEquals(
                2 * 8 * 64 * 33 * 4,
                CudnnAttention.backwardWorkspace(rt, q, q, q).numel());
        frame.close();
    }
}
