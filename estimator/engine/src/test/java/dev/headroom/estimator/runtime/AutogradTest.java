package dev.headroom.estimator.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.EngineArithmetic;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reference counts, saved tensors and the engine, on operators made up for the purpose. */
class AutogradTest {
    private static final long KIB = 1024;

    private EagerRuntime rt;
    private AutogradEngine engine;
    private final List<String> ran = new ArrayList<>();

    @BeforeEach
    void start() {
        CachingAllocator allocator =
                new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 30));
        KernelOptions options = new KernelOptions(0, Scenario.Attention.AUTO);
        rt = new EagerRuntime(allocator, new DeviceModel(9, 0, 132), options);
        engine = new AutogradEngine(rt, new EngineArithmetic());
        rt.frame();
    }

    private long allocated() {
        return rt.allocator().statistics().allocatedBytes().current();
    }

    /** A tensor of one KiB that the test holds. */
    private Tensor leaf(boolean grad) {
        Frame f = rt.frame();
        Tensor t = rt.hold(rt.empty(DType.FLOAT32, 256));
        f.close();
        rt.requireGrad(t, grad);
        return t;
    }

    /** An operator that keeps its input; its gradient is a fresh tensor. The caller holds the result. */
    private Tensor op(String name, Tensor x) {
        Frame f = rt.frame();
        Recorder r = rt.record(name, x);
        Saved kept = r.save(x);
        Tensor out = rt.empty(DType.FLOAT32, 256);
        r.gradient(0, g -> {
                    ran.add(name);
                    kept.get();
                    return rt.empty(DType.FLOAT32, 256);
                })
                .output(out);
        rt.hold(out);
        f.close();
        return out;
    }

    private void backward(Tensor root) {
        Frame f = rt.frame();
        engine.backward(root, rt.empty(DType.FLOAT32, 256));
        f.close();
    }

    @Test
    void aTensorDiesWithItsLastReference() {
        Tensor t = leaf(false);
        assertEquals(KIB, allocated());
        Frame f = rt.frame();
        Tensor view = rt.view(t, new long[] {16, 16}, new long[] {16, 1}, 0);
        rt.hold(view);
        f.close();
        rt.release(t);
        assertEquals(KIB, allocated(), "the view keeps the memory");
        rt.release(view);
        assertEquals(0, allocated());
    }

    @Test
    void savedTensorsLiveUntilTheirNodeHasRun() {
        Tensor w = leaf(true);
        Tensor a = op("A", w);
        Tensor b = op("B", a);
        rt.release(a);
        assertEquals(3 * KIB, allocated(), "a is kept by B's node");
        backward(b);
        assertEquals(List.of("B", "A"), ran);
        assertEquals(3 * KIB, allocated(), "w, its gradient and b");
        assertNotNull(w.grad());
        rt.release(b);
        assertEquals(2 * KIB, allocated());
    }

    @Test
    void aGraphThatNobodyHoldsIsGone() {
        Tensor w = leaf(true);
        Tensor x = op("A", w);
        for (int i = 0; i < 10_000; i++) { // deep enough to overflow a recursion
            Tensor y = op("N" + i, x);
            rt.release(x);
            x = y;
        }
        assertEquals(10_002 * KIB, allocated());
        rt.release(x);
        assertEquals(KIB, allocated());
    }

    @Test
    void theFirstGradientIsStolenAndTheNextAddedInPlace() {
        Tensor w = leaf(true);
        Tensor first = op("A", w);
        backward(first);
        Storage grad = w.grad().storage();
        rt.release(first);
        Tensor second = op("A", w);
        backward(second);
        assertSame(grad, w.grad().storage());
        rt.release(second);
        assertEquals(2 * KIB, allocated());
        assertEquals(Category.GRADIENTS, w.grad().storage().category());
        rt.setGrad(w, null);
        assertEquals(KIB, allocated());
    }

    @Test
    void aGradientThatTwoShareIsCopiedForTheSecond() {
        Tensor a = leaf(true);
        Tensor b = leaf(true);
        Frame f = rt.frame();
        Recorder r = rt.record("AddBackward0", a, b);
        Tensor sum = rt.empty(DType.FLOAT32, 256);
        r.gradient(1, g -> g).gradient(0, g -> g).output(sum);
        rt.hold(sum);
        f.close();
        backward(sum);
        assertEquals(5 * KIB, allocated(), "two leaves, the sum, and a gradient for each");
    }

    @Test
    void noGradModeRecordsNothing() {
        Tensor w = leaf(true);
        rt.setGradMode(false);
        assertFalse(rt.record("A", w).records());
        rt.setGradMode(true);
        assertTrue(rt.record("A", w).records());
    }

    @Test
    void aLossWithoutParametersHasNoBackwardPass() {
        Tensor constant = leaf(false);
        assertThrows(UserInputException.class, () -> backward(constant));
    }

    @Test
    void categoriesFollowWhatHoldsATensor() {
        Tensor w = leaf(true);
        Tensor a = op("A", w);
        assertEquals(Category.TEMPORARIES, a.storage().category());
        Tensor b = op("B", a);
        assertEquals(Category.SAVED_ACTIVATIONS, a.storage().category());
        backward(b);
        assertEquals(Category.TEMPORARIES, a.storage().category());
    }
}
