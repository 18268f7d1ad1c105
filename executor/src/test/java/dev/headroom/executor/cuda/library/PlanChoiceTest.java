package dev.headroom.executor.cuda.library;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.executor.cuda.BothBackends;
import dev.headroom.executor.cuda.CudaBackend;
import dev.headroom.executor.cuda.NullCuda;
import dev.headroom.executor.cuda.NullPlans;
import dev.headroom.executor.cuda.NullPlans.Mode;
import dev.headroom.executor.cuda.NullPlans.Plan;
import dev.headroom.executor.cuda.OverNullCuda;
import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.kernel.ConvolutionCall;
import dev.headroom.executor.kernel.ConvolutionCall.Caller;
import dev.headroom.executor.kernel.ConvolutionKernels.Direction;
import dev.headroom.executor.kernel.ConvolutionKernels.Geometry;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.bytedeco.cuda.global.cudnn;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which of cuDNN's plans a convolution takes; each is told by its workspace. */
@OverNullCuda
class PlanChoiceTest {
    private static final Geometry GEOMETRY = new Geometry(new long[] {1, 1}, new long[] {1, 1}, new long[] {1, 1}, 1);

    private final List<Long> workspaces = new ArrayList<>();
    /** Larger workspaces are refused. */
    private long most = Long.MAX_VALUE;

    private NullCuda device;
    private CudaBackend cuda;

    @BeforeEach
    void open() {
        device = NullCuda.install();
        cuda = CudaBackend.open(0);
    }

    @AfterEach
    void nothingIsLeft() {
        cuda.close();
        assertEquals(0, device.liveObjects());
        assertEquals(0, device.liveAllocations());
    }

    private void know(Plan... plans) {
        device.plans().know(Stream.of(plans));
        device.plans().listen();
    }

    /** Workspaces that were asked for while it ran. */
    private List<Long> convolve(Caller caller) {
        workspaces.clear();
        try (Eager e = BothBackends.eager(cuda);
                Scope s = e.open()) {
            Tensor x = e.empty(DType.FLOAT32, 2, 3, 8, 8);
            Tensor w = e.empty(DType.FLOAT32, 4, 3, 3, 3);
            Tensor y = e.empty(DType.FLOAT32, 2, 4, 8, 8);
            ConvolutionCall call = new ConvolutionCall(Direction.OUTPUT, x, w, y, GEOMETRY, caller);
            cuda.convolutions().convolve(call, (bytes, work) -> {
                workspaces.add(bytes);
                e.withWorkspace(bytes > most ? 1L << 60 : bytes, work);
            });
        }
        return List.copyOf(workspaces);
    }

    @Test
    void theFirstThatMayAndCanRun() {
        know(
                Plan.of(Mode.INSTANT, 1, 100).notes(NullPlans.DOWN_CONVERTS),
                Plan.of(Mode.INSTANT, 2, 200).unfinished(),
                Plan.of(Mode.INSTANT, 3, 300).failing(),
                Plan.of(Mode.INSTANT, 4, 400).notes(NullPlans.NONDETERMINISTIC),
                Plan.of(Mode.INSTANT, 5, 500),
                Plan.of(Mode.FALLBACK, 6, 600));
        assertEquals(List.of(300L, 400L), convolve(Caller.PROGRAM));
        assertEquals(List.of(300L, 500L), convolve(new Caller(true, false)));
        assertEquals(2, device.convolutions());
    }

    @Test
    void fallbackWhenNoneOfTheFirstRuns() {
        know(
                Plan.of(Mode.INSTANT, 1, 100).failing(),
                Plan.of(Mode.FALLBACK, 2, 200).failing(),
                Plan.of(Mode.FALLBACK, 3, 300));
        assertEquals(List.of(100L, 200L, 300L), convolve(Caller.PROGRAM));
        assertEquals(2, device.plans().asked().size());
    }

    @Test
    void aPlanIsRememberedByEachThread() {
        know(Plan.of(Mode.INSTANT, 1, 100).failing(), Plan.of(Mode.INSTANT, 2, 200));
        assertEquals(List.of(100L, 200L), convolve(Caller.PROGRAM));
        assertEquals(List.of(200L), convolve(Caller.PROGRAM));
        Caller backward = new Caller(false, true);
        assertEquals(List.of(100L, 200L), convolve(backward));
        assertEquals(List.of(200L), convolve(backward));
        assertEquals(2, device.plans().asked().size());
    }

    @Test
    void aPlanThatMemoryRefusesMakesRoomForTheNext() {
        know(Plan.of(Mode.INSTANT, 1, 3000), Plan.of(Mode.INSTANT, 2, 1000), Plan.of(Mode.INSTANT, 3, 2000));
        assertEquals(List.of(3000L), convolve(Caller.PROGRAM));
        most = 2500;
        assertEquals(List.of(3000L, 3000L, 1000L), convolve(Caller.PROGRAM));
        most = Long.MAX_VALUE;
        assertEquals(List.of(1000L), convolve(Caller.PROGRAM), "the new one is remembered");
    }

    @Test
    void whoHasNoPlanThatRunsSaysWhy() {
        know(Plan.of(Mode.INSTANT, 1, 100).failing());
        CudaException failed = assertThrows(CudaException.class, () -> convolve(Caller.PROGRAM));
        assertEquals("cudnnBackendExecute", failed.call());
        assertEquals(cudnn.CUDNN_STATUS_EXECUTION_FAILED, failed.status());
        know(Plan.of(Mode.INSTANT, 1, 100).unfinished());
        CudaException none = assertThrows(CudaException.class, () -> convolve(Caller.PROGRAM));
        assertTrue(none.getMessage().contains("no engine"), none.getMessage());
        most = 50;
        know(Plan.of(Mode.INSTANT, 1, 100), Plan.of(Mode.INSTANT, 1, 50).failing());
        assertThrows(OutOfMemoryException.class, () -> convolve(Caller.PROGRAM));
    }
}
