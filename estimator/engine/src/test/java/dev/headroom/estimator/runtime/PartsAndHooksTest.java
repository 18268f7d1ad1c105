package dev.headroom.estimator.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.host.HostThread;
import dev.headroom.estimator.host.HostThreads;
import dev.headroom.model.graph.DType;
import dev.headroom.model.plan.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Parts of DTensors, hooks of modules, passes that are recorded themselves, and threads with their handles. */
class PartsAndHooksTest extends OnRuntime {
    private final List<String> redistributed = new ArrayList<>();

    private final Distribution.Ranks four = new Distribution.Ranks() {
        @Override
        public int size() {
            return 4;
        }

        @Override
        public int rank() {
            return 1;
        }

        @Override
        public Tensor redistribute(Tensor local, Placement from, Placement to, long[] sizes, boolean asynchronous) {
            redistributed.add(from + " to " + to);
            return rt.empty(local.dtype(), sizes[0] / 4, sizes[1]);
        }
    };

    private Tensor part(Placement placement, long[] whole, long... sizes) {
        Tensor t = rt.empty(DType.FLOAT32, sizes);
        t.setDistribution(new Distribution(four, placement, whole));
        return t;
    }

    // ------------------------------------------------------------ parts

    /** Gradients of a part come as the part, or whole where each rank computed with all of it. */
    @Test
    void gradientsOfPartsHaveTheSizesOfTheirLayout() {
        Tensor shard = part(Placement.shard(0), new long[] {64, 16}, 16, 16);
        assertArrayEquals(new long[] {16, 16}, shard.gradientSizes());
        shard.givenDistribution().gradientsCome(Placement.REPLICATE);
        assertArrayEquals(new long[] {64, 16}, shard.gradientSizes());
        Tensor copy = part(Placement.REPLICATE, new long[] {64, 16}, 64, 16);
        assertArrayEquals(new long[] {64, 16}, copy.gradientSizes());
        assertArrayEquals(new long[] {64, 16}, rt.empty(DType.FLOAT32, 64, 16).gradientSizes());
    }

    /** What is computed element by element or as a view of a part is a part as well. */
    @Test
    void resultsOfPartsAreParts() {
        Tensor rows = part(Placement.shard(0), new long[] {64, 16}, 16, 16);
        Tensor result = rt.empty(DType.FLOAT32, 16, 16);
        Distribution.pass(rows, result);
        assertEquals(Placement.shard(0), result.distribution().placement());
        assertArrayEquals(new long[] {64, 16}, result.distribution().sizes());
        Tensor columns = part(Placement.shard(1), new long[] {16, 64}, 16, 16);
        Tensor unfolded = rt.empty(DType.FLOAT32, 4, 4, 16);
        Distribution.pass(columns, unfolded);
        assertEquals(Placement.shard(2), unfolded.distribution().placement(), "the last dimension is still the last");
        assertArrayEquals(new long[] {4, 4, 64}, unfolded.distribution().sizes());
        Tensor reduced = rt.empty(DType.FLOAT32, 16, 1);
        Distribution.pass(columns, reduced);
        assertNull(reduced.distribution(), "nobody knows of what");
        Tensor scalar = rt.empty(DType.FLOAT32);
        Distribution.pass(columns, scalar);
        assertNull(scalar.distribution());
        Tensor whole = part(Placement.REPLICATE, new long[] {16}, 16);
        Tensor other = rt.empty(DType.FLOAT32, 3, 5);
        Distribution.pass(whole, other);
        assertArrayEquals(new long[] {3, 5}, other.distribution().sizes());
        Tensor plain = rt.empty(DType.FLOAT32, 3);
        Distribution.pass(other, null);
        Distribution.pass(plain, reduced);
        assertNull(reduced.distribution());
    }

    /** Gradients of a tensor subclass are never summed in place; those in another layout are laid out first. */
    @Test
    void gradientsOfPartsAreSummedInTheLayoutOfThePart() {
        Tensor w = part(Placement.shard(0), new long[] {64, 16}, 16, 16);
        rt.requireGrad(w, true);
        Tensor a = kib();
        withGradient(w, a, g -> rt.empty(DType.FLOAT32, 16, 16));
        Tensor b = kib();
        withGradient(w, b, g -> rt.empty(DType.FLOAT32, 64, 16));
        backward(op("Sum", a, b));
        assertEquals(1, redistributed.size());
        assertArrayEquals(new long[] {16, 16}, w.grad().sizes());
    }

    @Test
    void partsHaveMasksAndRanks() {
        Distribution d = new Distribution(four, Placement.shard(-1), 8, 16);
        assertEquals(Placement.shard(1), d.placement(), "counted from the front");
        assertNull(d.mask());
        Tensor mask = kib();
        d.setMask(mask);
        assertSame(mask, d.mask());
        assertEquals(4, d.ranks().size());
    }

    // ------------------------------------------------------------ hooks of modules

    @Test
    void hooksOfModulesComeAndGo() {
        ModuleHooks hooks = rt.modules();
        assertTrue(hooks.isEmpty());
        ModuleHooks.Hook first = new ModuleHooks.Hook() {};
        ModuleHooks.Hook second = new ModuleHooks.Hook() {};
        AutogradHooks.Handle one = hooks.add("layer", first);
        AutogradHooks.Handle two = hooks.add("layer", second);
        assertEquals(List.of(first, second), hooks.of("layer"));
        assertEquals(List.of(), hooks.of("other"));
        assertFalse(hooks.isEmpty());
        one.remove();
        one.remove();
        assertEquals(List.of(second), hooks.of("layer"));
        two.remove();
        assertTrue(hooks.isEmpty());
        assertFalse(first.inBackward());
        assertFalse(first.aroundCheckpoint());
    }

    /** A model that is called on its own has hooks of its own under the same paths. */
    @Test
    void everyModelHasItsHooks() {
        ModuleHooks hooks = rt.modules();
        ModuleHooks.Hook outer = new ModuleHooks.Hook() {};
        ModuleHooks.Hook inner = new ModuleHooks.Hook() {};
        ModuleHooks.Model model = new ModuleHooks.Model();
        hooks.add("layer", outer);
        AutogradHooks.Handle[] handle = new AutogradHooks.Handle[1];
        hooks.inside(model, () -> handle[0] = hooks.add("layer", inner));
        assertEquals(List.of(outer), hooks.of("layer"));
        hooks.inside(model, () -> assertEquals(List.of(inner), hooks.of("layer")));
        handle[0].remove();
        hooks.inside(model, () -> assertTrue(hooks.isEmpty()));
        assertEquals(List.of(outer), hooks.of("layer"));
    }

    // ------------------------------------------------------------ create_graph

    /** Gradients of a recorded pass have a history where a node knows its formulas; where not, that is noted. */
    @Test
    void recordedPassesLeadOn() {
        Tensor w = leaf();
        Tensor x = kib();
        Recorder r = rt.record("Exp", w);
        Saved kept = r.saveOutput(x);
        r.output(x);
        List<Boolean> histories = new ArrayList<>();
        r.gradient(0, g -> {
                    histories.add(kept.get().requiresGrad());
                    Recorder again = rt.record("Mul", g, kept.get());
                    Tensor made = kib();
                    again.gradient(1, gg -> kib());
                    return again.output(made);
                })
                .again();
        Tensor[] first = engine.gradients(x, kib(), List.of(w), true, true, g -> g);
        assertTrue(first[0].requiresGrad(), "the result that was kept leads on to w");
        assertTrue(rt.gradMode());
        Tensor[] second = engine.gradients(x, kib(), List.of(w), true, false, g -> g);
        assertFalse(second[0].requiresGrad());
        assertEquals(2, histories.size());
        assertTrue(histories.get(0));
        assertEquals(Map.of(), engine.recorded().unknown());
        Tensor y = op("Unknown", w);
        Tensor[] third = engine.gradients(y, kib(), List.of(w), true, true, g -> g);
        assertFalse(third[0].requiresGrad());
        assertEquals(Map.of("Unknown under create_graph", 1), engine.recorded().unknown());
    }

    /** What is kept of a gradient when it arrives is what the caller makes of it. */
    @Test
    void arrivingGradientsMayBeTakenOtherwise() {
        Tensor w = leaf();
        Tensor[] seen = new Tensor[1];
        Tensor[] got = engine.gradients(op("A", w), kib(), List.of(w), false, false, g -> {
            seen[0] = g;
            return g;
        });
        assertNotNull(seen[0]);
        assertSame(seen[0], got[0]);
    }

    // ------------------------------------------------------------ threads

    /** A handle goes back at the end of a thread, and the next one that needs one finds it. */
    @Test
    void threadsShareHandlesOneAfterTheOther() {
        HostThreads threads = new HostThreads(2);
        assertEquals(0, threads.handle(0));
        assertEquals(0, threads.handle(0));
        assertEquals(0, threads.handle(1), "of another device");
        List<Integer> handles = new ArrayList<>();
        threads.run(() -> handles.add(threads.handle(0)));
        threads.run(() -> {
            handles.add(threads.handle(0));
            threads.run(() -> handles.add(threads.handle(0)));
        });
        threads.run(() -> {});
        HostThread main = threads.use(threads.backward(0));
        assertFalse(main.isBackward());
        handles.add(threads.handle(0));
        assertTrue(threads.current().isBackward());
        assertEquals(List.of(1, 1, 2, 1), handles);
    }

    @Test
    void threadsCountOperatorsAndRememberPlansApart() {
        HostThreads threads = new HostThreads(1);
        assertEquals(0, threads.current().nextSequence());
        assertEquals(1, threads.current().nextSequence());
        assertEquals(0, threads.backward(0).nextSequence());
        threads.current().plans().remember("problem", 77);
        assertEquals(77, threads.current().plans().find("problem"));
        assertNull(threads.backward(0).plans().find("problem"));
    }
}
