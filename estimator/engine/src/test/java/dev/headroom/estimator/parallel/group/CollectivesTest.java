package dev.headroom.estimator.parallel.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is asked of NCCL, how it is listed, and what it keeps alive. */
class CollectivesTest {
    private static final long KIB = 1024;
    private static final Moment FORWARD = Moment.of(Phase.FORWARD, 0);

    private final EagerRuntime rt = new EagerRuntime(
            new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 30)),
            new DeviceModel(9, 0, 132),
            new KernelOptions(0, Scenario.Attention.AUTO));
    private final Collectives collectives = new Collectives(ProcessGroup.world(4, 1));

    @BeforeEach
    void start() {
        collectives.attach(rt);
        rt.frame();
    }

    private long allocated() {
        return rt.allocator().statistics().allocatedBytes().current();
    }

    private static CollectiveRow row(CollectiveKind kind, long bytes, int communicator, int stream, int peer) {
        return new CollectiveRow(kind, bytes, DType.FLOAT32, 4, communicator, stream, peer, 1);
    }

    /** PyTorch keeps what nobody waits for until the first collective after a pause of the host. */
    @Test
    void whatNobodyWaitsForLivesUntilTheNextCollectiveAfterAPause() {
        Tensor t = rt.empty(DType.FLOAT32, 256);
        collectives.run(CollectiveKind.ALL_REDUCE, KIB, DType.FLOAT32);
        collectives.stash(t);
        rt.free(t);
        collectives.run(CollectiveKind.ALL_REDUCE, KIB, DType.FLOAT32);
        assertEquals(KIB, allocated(), "the host has not paused");
        collectives.end(FORWARD);
        assertEquals(KIB, allocated());
        collectives.run(CollectiveKind.BROADCAST, KIB, DType.FLOAT32, 0);
        assertEquals(0, allocated());
    }

    @Test
    void whoeverWaitsAfterAllLetsGo() {
        Tensor t = rt.empty(DType.FLOAT32, 256);
        Tensor u = rt.empty(DType.FLOAT32, 256);
        collectives.stash(t);
        collectives.stash(u);
        rt.free(t);
        rt.free(u);
        collectives.unstash(t);
        assertEquals(KIB, allocated());
        collectives.endPause();
        collectives.unstash(t);
        assertEquals(KIB, allocated(), "nobody keeps it twice");
        collectives.unstash(u);
        assertEquals(0, allocated());
    }

    @Test
    void rowsSayCommunicatorStreamAndRoot() {
        collectives.run(CollectiveKind.ALL_REDUCE, 8, DType.FLOAT32);
        collectives.run(CollectiveKind.BROADCAST, 8, DType.FLOAT32, 2);
        collectives.runHere(CollectiveKind.REDUCE, 8, DType.FLOAT32, 3);
        Collectives beside = collectives.beside(5);
        beside.runHere(CollectiveKind.REDUCE, 8, DType.FLOAT32, -1);
        assertEquals(1, beside.group().rank());
        assertSame(collectives.log(), beside.log());
        collectives.end(FORWARD);
        assertEquals(
                List.of(List.of(
                        row(CollectiveKind.ALL_REDUCE, 8, 0, 1, -1),
                        row(CollectiveKind.BROADCAST, 8, 0, 1, 2),
                        row(CollectiveKind.REDUCE, 8, 0, 0, 3),
                        row(CollectiveKind.REDUCE, 8, 5, 0, -1))),
                collectives.log().phases());
    }

    /** Communicators and streams are numbered when they are first used. */
    @Test
    void communicatorsAreNumberedByUse() {
        CollectiveLog log = new CollectiveLog();
        Communicator first = new Communicator(log, 4, 0);
        Communicator second = new Communicator(log, 4, 3);
        second.run(CollectiveKind.ALL_GATHER, 8, DType.FLOAT32, 9);
        first.runHere(CollectiveKind.SEND, 8, DType.FLOAT32, 1);
        first.run(CollectiveKind.ALL_GATHER, 8, DType.FLOAT32, 7);
        second.runHere(CollectiveKind.RECV, 8, DType.FLOAT32, 2);
        second.run(CollectiveKind.ALL_GATHER, 8, DType.FLOAT32, 0);
        new LoggedPhases(log).end(FORWARD);
        assertEquals(
                List.of(List.of(
                        row(CollectiveKind.ALL_GATHER, 8, 0, 1, -1),
                        row(CollectiveKind.SEND, 8, 1, 0, 1),
                        row(CollectiveKind.ALL_GATHER, 8, 1, 2, -1),
                        row(CollectiveKind.RECV, 8, 0, 0, 2),
                        row(CollectiveKind.ALL_GATHER, 8, 0, 0, -1))),
                log.phases());
        assertEquals(4, second.size());
        assertEquals(3, second.rank());
        assertEquals("all_gather", CollectiveKind.ALL_GATHER.label());
    }

    /** Of what each rank has a part of, the whole counts; of all else the buffer. */
    @Test
    void trafficIsThatOfTheLastStep() {
        assertEquals(32, row(CollectiveKind.ALL_GATHER, 8, 0, 1, -1).wholeBytes());
        assertEquals(32, row(CollectiveKind.REDUCE_SCATTER, 8, 0, 1, -1).wholeBytes());
        assertEquals(8, row(CollectiveKind.ALL_REDUCE, 8, 0, 1, -1).wholeBytes());
        List<PhaseMemory> phases = List.of(
                new PhaseMemory(Moment.of(Phase.MODEL), 0, 0, 0, 0),
                new PhaseMemory(Moment.of(Phase.FORWARD, 0), 0, 0, 0, 0),
                new PhaseMemory(Moment.of(Phase.FORWARD, 1), 0, 0, 0, 0),
                new PhaseMemory(Moment.of(Phase.BACKWARD, 1), 0, 0, 0, 0));
        List<CollectiveRow> gathers =
                List.of(row(CollectiveKind.ALL_GATHER, 8, 0, 1, -1).times(3));
        List<CollectiveRow> both =
                List.of(row(CollectiveKind.ALL_GATHER, 1, 0, 1, -1), row(CollectiveKind.ALL_REDUCE, 7, 0, 1, -1));
        assertEquals(
                Map.of(CollectiveKind.ALL_GATHER, 100L, CollectiveKind.ALL_REDUCE, 7L),
                Traffic.ofLastStep(phases, List.of(gathers, gathers, gathers, both)));
        assertEquals(Map.of(CollectiveKind.ALL_GATHER, 96L), Traffic.ofLastStep(phases, List.of(both, both, gathers)));
        assertEquals(Map.of(), Traffic.ofLastStep(List.of(), List.of()));
        assertEquals(Map.of(), Traffic.ofLastStep(phases.subList(0, 1), List.of(both)));
    }

    /** Squares, a copy that is reduced, and the root of it: one tensor stays. */
    @Test
    void normsOfPartsAreReduced() {
        CollectiveLog log = new CollectiveLog();
        Tensor norms = rt.empty(DType.FLOAT32, 256);
        Tensor whole = new PartialNorms(rt, new Communicator(log, 4, 0), 6).apply(norms);
        assertEquals(2 * KIB, allocated());
        assertEquals(4 * KIB, rt.allocator().statistics().allocatedBytes().peak());
        assertEquals(KIB, whole.nbytes());
        log.endPhase();
        assertEquals(List.of(List.of(row(CollectiveKind.ALL_REDUCE, KIB, 0, 1, -1))), log.phases());
    }

    @Test
    void groupsHaveTheirMembersAlone() {
        assertThrows(IllegalArgumentException.class, () -> new ProcessGroup(0, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new ProcessGroup(2, -1, 0));
        assertEquals(1, new ProcessGroup(2, 1, 0).rank());
        assertEquals(0, ProcessGroup.world(1, 0).communicator());
        Mesh one = new Mesh(List.of(1));
        assertEquals(List.of(0), one.coordinates(0));
        assertThrows(IllegalArgumentException.class, () -> one.coordinates(-1));
        assertThrows(IllegalArgumentException.class, () -> new Mesh(List.of()));
    }
}
