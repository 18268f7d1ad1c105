package dev.headroom.estimator.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.log.Category;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tensors, what keeps their memory, and who lets go of it when. */
class EagerRuntimeTest {
    private static final long KIB = 1024;

    private EagerRuntime rt;

    @BeforeEach
    void start() {
        rt = new EagerRuntime(
                List.of(allocator(), allocator()),
                new DeviceModel(9, 0, 132),
                new KernelOptions(0, Scenario.Attention.AUTO));
        rt.frame();
    }

    private static CachingAllocator allocator() {
        return new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 30));
    }

    private long allocated() {
        return rt.allocator().statistics().allocatedBytes().current();
    }

    private Tensor kib() {
        return rt.empty(DType.FLOAT32, 256);
    }

    @Test
    void localsEndWithTheirFrameButForResultsAndWhatIsHeld() {
        Frame caller = rt.frame();
        Frame callee = rt.frame();
        kib();
        Tensor result = callee.keep(kib());
        Tensor held = rt.hold(kib());
        assertEquals(3 * KIB, allocated());
        callee.close();
        assertEquals(2 * KIB, allocated(), "the result is the caller's, one is held");
        assertEquals(1, result.useCount());
        caller.close();
        assertEquals(KIB, allocated());
        rt.release(held);
        assertEquals(0, allocated());
    }

    @Test
    void aFrameHoldsAnyNumberOfLocals() {
        Frame f = rt.frame();
        for (int i = 0; i < 100; i++) {
            kib();
        }
        assertEquals(100 * KIB, allocated());
        f.close();
        assertEquals(0, allocated());
    }

    /** An operator can end its own variables early, and nobody else's. */
    @Test
    void onlyOwnLocalsAreFreedEarly() {
        Tensor callers = kib();
        try (Frame f = rt.frame()) {
            rt.free(callers);
            Tensor own = kib();
            Tensor same = own;
            rt.freeUnless(own, same);
            assertEquals(2 * KIB, allocated());
            rt.freeUnless(own, callers);
            assertEquals(KIB, allocated());
            rt.freeAll(List.of(kib(), kib()));
            assertEquals(KIB, allocated());
            rt.free(null);
        }
        assertEquals(KIB, allocated());
    }

    /** A held reference becomes a local, or ends where the tensor is one already. */
    @Test
    void adoptedReferencesEndWithTheFrame() {
        Frame f = rt.frame();
        Tensor held = rt.hold(kib());
        f.close();
        Frame g = rt.frame();
        rt.adopt(held);
        assertEquals(1, held.useCount());
        rt.hold(held);
        assertEquals(2, held.useCount());
        rt.adopt(held);
        assertEquals(1, held.useCount());
        rt.adopt(null);
        g.close();
        assertEquals(0, allocated());
        assertNull(rt.hold(null));
    }

    @Test
    void sizesTypesAndCategoriesOfWhatIsMade() {
        assertEquals(3 * 4 * 2, rt.empty(DType.FLOAT16, 3, 4).storage().bytes());
        assertArrayEquals(new long[] {4, 1}, rt.empty(DType.FLOAT16, 3, 4).strides());
        Tensor scratch = rt.scratch(1000);
        assertEquals(1000, scratch.nbytes());
        assertEquals(Category.TEMPORARIES, scratch.storage().category());
        Tensor workspace = rt.workspace(1000);
        assertEquals(1000, workspace.nbytes());
        assertEquals(Category.WORKSPACES, workspace.storage().category());
        Tensor lastChannels = rt.emptyStrided(DType.FLOAT32, new long[] {2, 3, 4, 4}, new long[] {48, 1, 12, 3});
        assertArrayEquals(lastChannels.strides(), rt.emptyLike(lastChannels).strides());
        Tensor lower = rt.emptyLike(lastChannels, DType.BFLOAT16);
        assertEquals(lastChannels.nbytes() / 2, lower.nbytes());
        assertEquals(DType.BFLOAT16, lower.dtype());
        rt.setCategory(scratch, Category.INPUTS);
        assertEquals(Category.INPUTS, scratch.storage().category());
    }

    @Test
    void whatIsOnTheHostTakesNothing() {
        Tensor host = rt.hostTensor(DType.FLOAT32, 100);
        assertFalse(host.onDevice());
        assertFalse(host.isWrappedNumber());
        assertTrue(rt.wrappedNumber(DType.FLOAT64).isWrappedNumber());
        assertEquals(0, rt.wrappedNumber(DType.FLOAT64).dim());
        boolean before = rt.devices().computeOnHost(true);
        assertFalse(before);
        assertFalse(kib().onDevice());
        assertTrue(rt.devices().computeOnHost(before));
        assertEquals(0, allocated());
        assertTrue(kib().onDevice());
    }

    /** Memory is taken from a storage and given back while tensors hold it. */
    @Test
    void storagesLoseAndRegainTheirMemory() {
        Tensor t = rt.unbacked(DType.FLOAT32, new long[] {256}, new long[] {1}, Category.PARAMETERS);
        assertEquals(0, allocated());
        assertEquals(0, t.storage().bytes());
        rt.resizeStorage(t, KIB);
        assertEquals(KIB, allocated());
        assertEquals(Category.PARAMETERS, t.storage().category());
        int number = t.storage().number();
        rt.resizeStorage(t, KIB);
        assertEquals(number, t.storage().number(), "nothing to do");
        rt.resizeStorage(t, 2 * KIB);
        assertEquals(2 * KIB, allocated());
        rt.resizeStorage(t, 0);
        assertEquals(0, allocated());
        assertEquals(-1, t.storage().number());
        rt.free(t);
        assertEquals(0, allocated());
    }

    @Test
    void viewsKnowTheirBaseAndAliasesDoNot() {
        Tensor t = kib();
        Tensor view = rt.view(t, new long[] {4, 64}, new long[] {64, 1}, 0);
        Tensor deeper = rt.view(view, new long[] {64}, new long[] {1}, 64);
        assertTrue(view.isView());
        assertSame(t, view.base());
        assertSame(t, deeper.base(), "the tensor that it all began with");
        assertEquals(64, deeper.offset());
        assertEquals(3, t.useCount(), "both views hold it");
        Tensor alias = rt.detach(deeper);
        assertFalse(alias.isView());
        assertEquals(64, alias.offset());
        assertEquals(4, t.storage().useCount());
        assertEquals(KIB, allocated());
        Tensor bytes = rt.reinterpret(t, DType.INT8, new long[] {1024}, new long[] {1}, 0);
        assertEquals(1024, bytes.numel());
        assertEquals(KIB, bytes.nbytes());
        rt.free(deeper);
        assertEquals(2, t.useCount());
    }

    /** The old memory goes when nothing else has it; the tensor takes the new one's place and type. */
    @Test
    void dataCanBeReplaced() {
        Tensor t = kib();
        Tensor other = rt.empty(DType.BFLOAT16, 1024);
        assertEquals(3 * KIB, allocated());
        rt.setData(t, other, new long[] {1}, 512);
        assertEquals(2 * KIB, allocated());
        assertSame(other.storage(), t.storage());
        assertEquals(DType.BFLOAT16, t.dtype());
        assertEquals(512, t.offset());
        Tensor shared = rt.detach(other);
        rt.setData(t, kib(), new long[] {1}, 0);
        assertEquals(3 * KIB, allocated(), "another tensor has the memory that was replaced");
        rt.free(shared);
    }

    @Test
    void gradientsAreHeldByTheirVariable() {
        Tensor leaf = rt.hold(kib());
        rt.requireGrad(leaf, true);
        try (Frame f = rt.frame()) {
            rt.setGrad(leaf, kib());
            rt.setGrad(leaf, kib());
        }
        assertEquals(2 * KIB, allocated(), "the second gradient took the first one's place");
        rt.setGrad(leaf, null);
        assertEquals(KIB, allocated());
        try (Frame f = rt.frame()) {
            rt.setGrad(leaf, kib());
        }
        rt.free(leaf);
        rt.release(leaf);
        assertEquals(0, allocated(), "a gradient ends with its variable");
    }

    /** A Python list holds its items, the values of a sparse tensor their indices. */
    @Test
    void listsAndSparseValuesKeepWhatBelongsToThem() {
        Frame f = rt.frame();
        Tensor list = rt.hold(rt.hostTensor(DType.FLOAT32).listing(kib(), kib()));
        Tensor values = rt.hold(kib().sparse(kib()));
        f.close();
        assertEquals(4 * KIB, allocated());
        assertEquals(2, list.items().length);
        rt.release(list);
        assertEquals(2 * KIB, allocated());
        rt.release(values);
        assertEquals(0, allocated());
    }

    @Test
    void memoryIsOfTheCurrentDevice() {
        Tensor first = kib();
        assertEquals(0, rt.devices().use(1));
        assertEquals(0, allocated());
        Tensor second = rt.empty(DType.FLOAT32, 512);
        assertEquals(2 * KIB, allocated());
        assertEquals(1, rt.devices().of(second));
        assertEquals(0, rt.devices().of(first));
        assertEquals(1, rt.devices().use(0));
        assertEquals(KIB, allocated());
        rt.free(second);
        assertEquals(
                0,
                rt.devices().memory(1).allocator().statistics().allocatedBytes().current());
        assertEquals(2, rt.devices().count());
    }

    @Test
    void managedMemoryIsCountedApart() {
        rt.devices().page(5);
        rt.devices().page(7);
        assertEquals(12, rt.devices().paged());
        assertEquals(0, allocated());
    }

    /** The log knows how far it was when memory was first at its highest, and what the allocator held then. */
    @Test
    void theMemoryRemembersItsPeak() {
        LoggedMemory memory = rt.devices().memory(0);
        assertEquals(0, memory.highest().bytes());
        Tensor a = kib();
        Tensor b = rt.empty(DType.FLOAT32, 1 << 20);
        rt.free(a);
        rt.free(b);
        rt.empty(DType.FLOAT32, 1 << 20);
        kib();
        assertEquals((4 << 20) + KIB, memory.highest().bytes());
        assertEquals(2, memory.highest().events(), "the same again is no new peak");
        assertEquals(22L << 20, memory.highest().reserved());
        assertEquals(-1, memory.eventsAtFailure());
        assertNull(rt.devices().failed());
    }

    /** The first request that fails is where a run ended. */
    @Test
    void theMemoryRemembersItsFirstFailure() {
        kib();
        for (int i = 0; i < 2; i++) {
            try {
                rt.empty(DType.INT8, 2L << 30);
            } catch (dev.headroom.allocator.OutOfMemoryException e) {
                kib();
            }
        }
        assertEquals(1, rt.devices().memory(0).eventsAtFailure());
        assertSame(rt.devices().memory(0), rt.devices().failed());
        assertEquals(rt.attribution(), rt.devices().memory(0).requester());
    }
}
