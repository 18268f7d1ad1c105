package dev.headroom.estimator.predict;

import static dev.headroom.model.dsl.Layers.conv2d;
import static dev.headroom.model.dsl.Layers.relu;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.LIMIT;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.cudnn.WorkspaceEnd;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a run asked of its allocator tells of other runs what playing them shows. */
class RequestsTest {
    private static final long MIB = 1 << 20;

    private final Graph graph = Model.of(
                    "convolutions", Sequential.of(conv2d(3, 16, 3, 1, 1), relu(), conv2d(16, 16, 3, 1, 1), relu()))
            .input("x", DType.FLOAT32, Model.BATCH, 3, 64, 64)
            .graph();
    private final Scenario run = Scenario.defaults()
            .with(BATCH, 64L)
            .with(STEPS, 2)
            .on(GpuCatalogue.find("rtx-3090").orElseThrow());
    private final Scenario bare = run.with(CUDNN_WORKSPACE, CudnnWorkspace.NONE);

    private PredictionRequest request(Scenario of) {
        return new PredictionRequest(graph, of);
    }

    private Requests requests(Scenario of) {
        return Predictor.simulate(request(of)).requests().orElseThrow();
    }

    private static LongStream limits(Simulation free) {
        return LongStream.rangeClosed(0, 30).map(i -> free.maxReserved() - 2 * MIB * i);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "expandable_segments:True", "max_split_size_mb:24"})
    void aDeviceGrantsWhatItGrantsTheRun(String conf) {
        Requests requests = requests(run);
        Simulation free = Predictor.simulate(request(run.withAllocConf(conf)));
        List<Requests.Answer> sure = new ArrayList<>();
        limits(free).forEach(limit -> {
            PredictionRequest limited = request(run.withAllocConf(conf).with(LIMIT, limit));
            Requests.Answer answer = Predictor.ask(requests, limited);
            if (answer.sure()) {
                sure.add(answer);
                assertEquals(Predictor.interpret(limited).oom() == null, answer.granted(), limit + " bytes");
            }
        });
        assertEquals(
                2,
                sure.stream()
                        .map(Requests.Answer::granted)
                        .collect(Collectors.toSet())
                        .size());
    }

    @Test
    void withoutCudnnTheRunEndsAsItsRequestsDo() {
        for (Scenario of : List.of(run, run.withAllocConf("expandable_segments:True"), run.with(LIMIT, 400 * MIB))) {
            Simulation played = Predictor.simulate(request(of));
            Simulation none = Predictor.simulate(request(of), WorkspaceEnd.NONE);
            assertTrue(none.log().size() < played.log().size(), "there are workspaces");
            Plays plays = new Plays();
            assertEquals(
                    Optional.of(new Verdicts.Ending(
                            none.mostReserved(), none.mostAllocated(), plays.least(request(of), none))),
                    plays.withoutCudnn(request(of), played, true));
        }
    }

    @Test
    void storagesGrowAlongLines() {
        Requests small = requests(bare.with(BATCH, 48L));
        Requests some = requests(bare.with(BATCH, 56L));
        Requests many = requests(bare.with(BATCH, 80L));
        assertEquals(
                many.peak(), some.line(56, small, 48).orElseThrow().apply(80).peak());
        assertEquals(
                small.peak(), many.line(80, some, 56).orElseThrow().apply(48).peak());
        assertEquals(
                Optional.empty(), some.line(56, requests(bare.with(BATCH, 48L).with(STEPS, 3)), 48));
        assertEquals(Optional.empty(), some.line(56, small, 56));
    }

    @Test
    void aRunThatDidWithoutAWorkspaceTellsNothingOfOthers() {
        Simulation free = Predictor.interpret(request(run));
        List<Simulation> tight = limits(free)
                .mapToObj(limit -> Predictor.interpret(request(run.with(LIMIT, limit))))
                .filter(played -> played.oom() == null && !played.repeatable())
                .toList();
        assertFalse(tight.isEmpty(), "memory in which a workspace alone is refused");
        tight.forEach(played -> assertEquals(Optional.empty(), played.requests()));
        Scenario limited = tight.get(0).prepared().scenario();
        Predictor.simulate(request(limited));
        assertEquals(free.maxReserved(), Predictor.simulate(request(run)).maxReserved());
    }
}
