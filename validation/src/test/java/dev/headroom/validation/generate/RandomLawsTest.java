package dev.headroom.validation.generate;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.Blocks;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.validation.RepeatedRun;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Laws that every prediction obeys, on random models and runs. */
class RandomLawsTest {
    private static final long PLENTY = 4L << 40;
    private static final long EXPANDED_BY = 20L << 20;
    private static final long GRANULE = SimulatedDeviceMemory.GRANULE;

    @Provide
    Arbitrary<RandomCase> cases() {
        return Generators.cases();
    }

    private static Prediction predict(Graph graph, Scenario run, Long memory) {
        return Predictor.predict(new PredictionRequest(graph, run.withDevice(new DeviceBudget(null, memory, 0, null))));
    }

    private static Prediction predict(RandomCase c, Long memory) {
        return predict(c.graph(), c.run().training(), memory);
    }

    private static Simulation simulate(RandomCase c, Long limit) {
        return Predictor.simulate(new PredictionRequest(
                c.graph(), c.run().training().withDevice(new DeviceBudget(null, null, 0, limit))));
    }

    /** The events of a run, played again through an allocator that is looked at after each. */
    private static final class Replayed extends Blocks {
        private final EventLog log;
        private final CachingAllocator allocator;
        private long live;
        private long highest;

        Replayed(EventLog log, AllocatorSettings settings) {
            this(log, new CachingAllocator(settings, new SimulatedDeviceMemory(PLENTY)));
        }

        private Replayed(EventLog log, CachingAllocator allocator) {
            super(log, allocator);
            this.log = log;
            this.allocator = allocator;
        }

        @Override
        public void allocated(int storage) {
            super.allocated(storage);
            live += log.rounded(storage);
            look();
        }

        @Override
        public void freed(int storage) {
            super.freed(storage);
            live -= log.rounded(storage);
            look();
        }

        private void look() {
            long allocated = allocator.statistics().allocatedBytes().current();
            highest = Math.max(highest, allocated);
            assertEquals(live, allocated);
            assertTrue(allocated <= allocator.statistics().reservedBytes().current());
            assertTrue(allocator.statistics().reservedBytes().current() <= PLENTY);
        }
    }

    @Property(tries = 100, seed = MeasuredCasesTest.SEED)
    void theEventsAddUpToWhatTheAllocatorReports(@ForAll("cases") RandomCase c) {
        Simulation s = simulate(c, null);
        EventLog log = s.log();
        Replayed replayed = new Replayed(log, AllocatorSettings.parse(c.run().allocConf()));
        log.replay(log.size(), replayed);
        PhaseMemory last = s.phases().get(s.phases().size() - 1);
        assertEquals(last.allocated(), replayed.live);
        assertEquals(last.maxAllocated(), replayed.highest);
        assertEquals(
                last.maxReserved(),
                replayed.allocator.statistics().reservedBytes().peak());
    }

    @Property(tries = 100, seed = MeasuredCasesTest.SEED)
    void categoriesAddUpAtAnyEvent(@ForAll("cases") RandomCase c, @ForAll @IntRange(max = 1_000_000) int position) {
        EventLog log = simulate(c, null).log();
        int events = position % (log.size() + 1);
        Replayed replayed = new Replayed(log, AllocatorSettings.parse(c.run().allocConf()));
        log.replay(events, replayed);
        Category[] alive = log.aliveAfter(events);
        long sum = 0;
        for (int i = 0; i < alive.length; i++) {
            sum += alive[i] == null ? 0 : log.rounded(i);
        }
        assertEquals(replayed.allocator.statistics().allocatedBytes().current(), sum);
    }

    @Property(tries = 100, seed = MeasuredCasesTest.SEED)
    void whatIsLeftHasAnOwnerAndNothingWaitsForABackwardPass(@ForAll("cases") RandomCase c) {
        Simulation s = simulate(c, null);
        EventLog log = s.log();
        Category[] end = log.aliveAfter(log.size());
        for (int i = 0; i < end.length; i++) {
            if (end[i] != null) {
                Attribution who = s.madeBy(i);
                assertFalse(who.operator().isEmpty());
                assertTrue(
                        end[i] != Category.SAVED_ACTIVATIONS && end[i] != Category.TEMPORARIES,
                        () -> who + " leaves " + log.requested(0) + " bytes");
            }
        }
    }

    @Property(tries = 100, seed = MeasuredCasesTest.SEED)
    void theSharesOfLayersAndCategoriesAddUpAtThePeak(@ForAll("cases") RandomCase c) {
        Prediction p = predict(c, null);
        long categories =
                p.atPeak().values().stream().mapToLong(Long::longValue).sum();
        assertEquals(p.peak().allocated(), categories + p.rounding());
        assertTrue(p.peak().allocated() + p.cachedFree() <= p.peak().reserved());
        assertEquals(
                categories, p.layers().stream().mapToLong(l -> l.peakShare()).sum());
    }

    @Property(tries = 60, seed = MeasuredCasesTest.SEED)
    void theSameQuestionHasTheSameAnswer(@ForAll("cases") RandomCase c) {
        Prediction a = predict(c, null);
        Prediction b = predict(c, null);
        assertEquals(a.phases(), b.phases());
        assertEquals(a.peak(), b.peak());
        assertEquals(a.atPeak(), b.atPeak());
        assertEquals(a.layers(), b.layers());
        assertEquals(a.verdict(), b.verdict());
    }

    @Property(tries = 60, seed = MeasuredCasesTest.SEED)
    void oneMoreStepChangesNoStepBeforeIt(@ForAll("cases") RandomCase c) {
        Scenario run = c.run().training();
        Scenario longer = run.with(STEPS, run.loop().steps() + 1);
        List<PhaseMemory> few = predict(c.graph(), run, null).phases();
        List<PhaseMemory> more = predict(c.graph(), longer, null).phases();
        assertTrue(more.size() > few.size());
        assertEquals(few, more.subList(0, few.size()));
    }

    @Property(tries = 60, seed = MeasuredCasesTest.SEED)
    void namesMeanNothing(@ForAll("cases") RandomCase c) {
        Graph graph = c.graph();
        Prediction a = predict(graph, c.run().training(), null);
        Prediction b = predict(Renamed.of(graph), c.run().training(), null);
        assertEquals(a.phases(), b.phases());
        assertEquals(a.atPeak(), b.atPeak());
        assertEquals(a.verdict(), b.verdict());
    }

    @Property(tries = 60, seed = MeasuredCasesTest.SEED)
    void theLeastMemoryIsEnoughAndLessIsNot(@ForAll("cases") RandomCase c) {
        long least = predict(c, null).verdict().minimumMemory();
        assertTrue(predict(c, least).verdict().fits());
        if (least > GRANULE) { // no device is smaller
            Prediction without = predict(c, least - GRANULE);
            assertEquals(false, without.verdict().fits());
            assertNotNull(without.oom());
        }
    }

    /** Where memory comes from depends on the limit; what is asked for does not, as far as the run gets. */
    @Property(tries = 60, seed = MeasuredCasesTest.SEED)
    void aLimitChangesNothingBeforeItBites(
            @ForAll("cases") RandomCase c, @ForAll @IntRange(min = 1, max = 100) int part) {
        Simulation whole = simulate(c, null);
        long reserved = whole.phases().get(whole.phases().size() - 1).maxReserved();
        long limit = Math.max(GRANULE, reserved * part / 100);
        Simulation limited = simulate(c, limit);
        EventLog all = whole.log();
        EventLog some = limited.log();
        assertTrue(some.storages() <= all.storages());
        for (int i = 0; i < some.storages(); i++) {
            assertEquals(all.requested(i), some.requested(i));
        }
        // The limit is held against what is asked for, but expandable segments grow by whole pieces.
        long piece = c.run().allocConf().contains("expandable") ? EXPANDED_BY : 0;
        assertTrue(limited.maxReserved() <= limit + piece);
        if (limited.oom() == null) {
            assertEquals(all.size(), some.size());
            assertEquals(whole.phases().size(), limited.phases().size());
        } else {
            assertTrue(limited.phases().size() < whole.phases().size());
            assertTrue(limited.oom().requested() > 0);
        }
    }

    /** A step that begins as the one before is played from its events, and differs in nothing. */
    @Property(tries = 100, seed = MeasuredCasesTest.SEED)
    void stepsThatRepeatDoWhatTheirOperatorsDo(
            @ForAll("cases") RandomCase c, @ForAll @IntRange(min = 90, max = 120) int part) {
        Scenario run = c.run().training().with(STEPS, 4);
        PredictionRequest request = new PredictionRequest(c.graph(), run);
        assertEquals("", RepeatedRun.difference(request));
        long limit = Math.max(GRANULE, Predictor.simulate(request).maxAllocated() * part / 100);
        assertEquals("", RepeatedRun.difference(request.with(run.withDevice(new DeviceBudget(null, null, 0, limit)))));
    }

    /** A larger batch keeps no less between the passes. */
    @Property(tries = 60, seed = MeasuredCasesTest.SEED)
    void aLargerBatchNeverKeepsLess(@ForAll("cases") RandomCase c) {
        Scenario run = c.run().training();
        Scenario larger = run.with(BATCH, run.sizes().batch() + 1);
        assertTrue(kept(c, run) <= kept(c, larger));
    }

    private static long kept(RandomCase c, Scenario run) {
        return predict(c.graph(), run, null).layers().stream()
                .mapToLong(l -> l.saved())
                .sum();
    }
}
