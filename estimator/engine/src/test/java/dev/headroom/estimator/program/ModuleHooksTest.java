package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.estimator.runtime.ModuleHooks;
import dev.headroom.model.checkpoint.Chains;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Hooks of modules run around the modules' calls, forward and backward, in PyTorch's order. */
class ModuleHooksTest {
    private final List<String> calls = new ArrayList<>();

    private EagerRuntime runtime() {
        CachingAllocator allocator =
                new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 40));
        return new EagerRuntime(allocator, new DeviceModel(9, 0, 132), new KernelOptions(0, Scenario.Attention.AUTO));
    }

    private long play(EagerRuntime runtime, Graph graph, Scenario run) {
        new TrainingLoop(runtime, Preparation.of(graph, run), List.of(), moment -> {}).play();
        return runtime.allocator().statistics().allocatedBytes().peak();
    }

    private static Scenario oneStep(int segments, Boolean reentrant) {
        return Chains.run(segments, reentrant).with(ScenarioSettings.STEPS, 1);
    }

    /** Notes what is called. */
    private final class Noting implements ModuleHooks.Hook {
        private final boolean backward;

        Noting(boolean backward) {
            this.backward = backward;
        }

        @Override
        public void beforeForward(ModuleHooks.Call call) {
            assertEquals(1, call.inputs().length);
            assertEquals(0, call.outputs().length);
            calls.add((call.recomputing() ? "again " : "pre ") + call.path());
        }

        @Override
        public void afterForward(ModuleHooks.Call call) {
            assertEquals(1, call.outputs().length);
            calls.add("post " + call.path());
        }

        @Override
        public void beforeBackward(String path) {
            calls.add("pre-backward " + path);
        }

        @Override
        public void afterBackward(String path) {
            calls.add("post-backward " + path);
        }

        @Override
        public boolean inBackward() {
            return backward;
        }
    }

    private EagerRuntime hooked(boolean backward, String... paths) {
        EagerRuntime runtime = runtime();
        for (String path : paths) {
            runtime.modules().add(path, new Noting(backward));
        }
        return runtime;
    }

    @Test
    void forwardHooksLieAroundCalls() {
        play(hooked(false, "", "0", "1"), Chains.sequential(2, "exp"), oneStep(0, null));
        assertEquals(List.of("pre ", "pre 0", "post 0", "pre 1", "post 1", "post "), calls);
    }

    @Test
    void backwardHooksLieAroundTheCallsBackwardPasses() {
        play(hooked(true, "0", "1"), Chains.sequential(2, "mul"), oneStep(0, null));
        assertEquals(
                List.of(
                        "pre 0",
                        "post 0",
                        "pre 1",
                        "post 1",
                        "pre-backward 1",
                        "post-backward 1",
                        "pre-backward 0",
                        "post-backward 0"),
                calls);
    }

    /** The hooks of a checkpointed module run again when it is recomputed, as they do in PyTorch. */
    @Test
    void recomputedCallsRunTheirHooksAgain() {
        play(hooked(false, "0", "1"), Chains.sequential(2, "exp"), oneStep(2, true));
        assertEquals(List.of("pre 0", "post 0", "pre 1", "post 1", "again 0", "post 0"), calls);
    }

    /** A recomputation that has all that it needs stops inside a module, whose later hooks then do not run. */
    @Test
    void aRecomputationThatStopsEarlyRunsNoHookAfterIt() {
        play(hooked(false, "0", "1"), Chains.sequential(2, "exp"), oneStep(2, false));
        assertEquals(List.of("pre 0", "post 0", "pre 1", "post 1", "again 0"), calls);
    }

    @Test
    void hooksThatDoNothingChangeNoByte() {
        Graph graph = new Chains(Chains.call("", Chains.SEQUENTIAL))
                .then("mul", Chains.call("0", "Module"))
                .then("exp", Chains.call("0", "Module"))
                .then("mul", Chains.call("1", "Module"))
                .then("exp", Chains.call("1", "Module"))
                .graph();
        for (int segments : new int[] {0, 2}) {
            long plain = play(runtime(), graph, oneStep(segments, false));
            assertEquals(plain, play(hooked(false, "", "0", "1"), graph, oneStep(segments, false)));
            assertEquals(plain, play(hooked(true, "", "0", "1"), graph, oneStep(segments, false)));
        }
        assertTrue(calls.contains("post-backward 1"));
    }

    @Test
    void aHookThatWasTakenAwayIsNotCalled() {
        EagerRuntime runtime = runtime();
        runtime.modules().add("0", new Noting(false)).remove();
        assertTrue(runtime.modules().isEmpty());
        play(runtime, Chains.sequential(2, "exp"), oneStep(0, null));
        assertEquals(List.of(), calls);
    }
}
