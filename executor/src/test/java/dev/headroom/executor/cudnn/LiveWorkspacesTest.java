package dev.headroom.executor.cudnn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.executor.cuda.NullCuda;
import dev.headroom.executor.cuda.NullPlans.Mode;
import dev.headroom.executor.cuda.NullPlans.Plan;
import dev.headroom.executor.cuda.OverNullCuda;
import dev.headroom.executor.cuda.driver.CudaDevice;
import dev.headroom.executor.cuda.runtime.CudaContext;
import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.ConvolutionProblem.Direction;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.graph.DType;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@OverNullCuda
class LiveWorkspacesTest {
    private static final ConvolutionProblem PROBLEM = new ConvolutionProblem(
            Direction.FORWARD,
            DType.FLOAT32,
            false,
            List.of(2L, 3L, 8L, 8L),
            List.of(4L, 3L, 3L, 3L),
            List.of(2L, 4L, 8L, 8L),
            List.of(1L, 1L),
            List.of(1L, 1L),
            List.of(1L, 1L),
            List.of(32L, 32L, 32L));

    private NullCuda device;
    private CudnnDevice gpu;

    @BeforeEach
    void install() {
        device = NullCuda.install();
        device.plans()
                .know(Stream.of(
                        Plan.of(Mode.INSTANT, 1, 100).unfinished(),
                        Plan.of(Mode.INSTANT, 2, 200),
                        Plan.of(Mode.FALLBACK, 3, 300)));
        try (CudaContext context = CudaContext.open(0)) {
            CudaDevice own = context.device();
            gpu = new CudnnDevice(own.major(), own.minor(), own.sms());
        }
    }

    @Test
    void thisMachinesGpuIsAskedWithAHandle() {
        try (LiveWorkspaces live = new LiveWorkspaces()) {
            WorkspaceAnswer answer = live.answer(PROBLEM, gpu).orElseThrow();
            assertEquals(WorkspaceLevel.LIVE, answer.level());
            assertEquals(200, answer.first());
            assertEquals(List.of(200L, 300L), answer.all().get());
            assertTrue(live.description().endsWith("with a handle"), live::description);
        }
        assertEquals(0, device.liveObjects());
        assertEquals(0, device.liveAllocations());
    }

    @Test
    void ofAnotherGpuItKnowsNothing() {
        try (LiveWorkspaces live = new LiveWorkspaces()) {
            assertTrue(
                    live.answer(PROBLEM, new CudnnDevice(7, 5, gpu.sms() + 1)).isEmpty());
        }
    }

    @Test
    void withoutRoomForAContextItKnowsNothing() {
        device.failCall("cudnnCreate", 1, 2); // CUDNN_STATUS_ALLOC_FAILED or its like
        try (LiveWorkspaces live = new LiveWorkspaces()) {
            assertTrue(live.answer(PROBLEM, gpu).isEmpty());
            assertEquals("no GPU", live.description());
        }
    }
}
