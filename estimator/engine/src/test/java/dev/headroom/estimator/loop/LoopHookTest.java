package dev.headroom.estimator.loop;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_BEFORE_BACKWARD;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.checkpoint.Chains;
import dev.headroom.model.graph.DType;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoopHookTest {
    private static final long MIB = 1 << 20;

    /** Writes down what it is called at. */
    private static final class Diary implements LoopHook {
        private final List<String> entries = new ArrayList<>();

        @Override
        public void attach(TrainingLoop loop) {
            entries.add("attach");
        }

        @Override
        public void between(Moment next) {
            entries.add("> " + next.label());
        }

        @Override
        public void begin(Moment phase) {
            entries.add("begin");
        }

        @Override
        public void end(Moment phase) {
            entries.add("end");
        }

        @Override
        public void zeroGrad(Runnable own) {
            entries.add("zeroGrad");
            own.run();
        }

        @Override
        public Tensor root(Tensor loss) {
            entries.add("root");
            return loss;
        }

        @Override
        public void step(Runnable own) {
            entries.add("step");
            own.run();
        }
    }

    private static Simulation play(Scenario run, LoopHook... hooks) {
        return Predictor.simulate(new PredictionRequest(Chains.sequential(2, "mul"), run), List.of(hooks));
    }

    private static Scenario oneStep() {
        return Chains.run(0, null).with(STEPS, 1);
    }

    @Test
    void everyPointIsPassedInOrder() {
        Diary diary = new Diary();
        play(oneStep().with(ACCUMULATE, 2), diary);
        assertEquals(
                "attach > model begin end > inputs begin end > zero_grad 0 begin zeroGrad end"
                        + " > forward 0.0 begin end > loss 0.0 begin end > backward 0.0 begin root end"
                        + " > forward 0.1 begin end > loss 0.1 begin end > backward 0.1 begin root end"
                        + " > optimizer 0 begin step end",
                String.join(" ", diary.entries));
    }

    @Test
    void aScenariosOwnHooksComeFirst() {
        Diary diary = new Diary();
        play(oneStep().with(ZERO_GRAD_BEFORE_BACKWARD, true), diary);
        int backward = diary.entries.indexOf("> backward 0");
        assertEquals(
                "> backward 0 zeroGrad begin root end",
                String.join(" ", diary.entries.subList(backward, backward + 5)));
    }

    /** A regime that holds a buffer from a phase of its own on, and lets go of it where the backward pass ends. */
    private static final class Buffer implements LoopHook {
        private TrainingLoop loop;
        private Tensor held;

        @Override
        public void attach(TrainingLoop to) {
            loop = to;
        }

        @Override
        public void between(Moment next) {
            if (next.phase() == Phase.ZERO_GRAD) {
                loop.phase(Moment.of(Phase.INPUTS, next.step()), this::make);
            }
        }

        private void make() {
            EagerRuntime runtime = loop.runtime();
            Frame frame = runtime.frame();
            long[] sizes = {MIB};
            held = runtime.hold(runtime.emptyStrided(DType.INT8, sizes, new long[] {1}, Category.WORKSPACES));
            frame.close();
        }

        @Override
        public void end(Moment phase) {
            if (phase.phase() == Phase.BACKWARD) {
                loop.runtime().release(held);
            }
        }
    }

    @Test
    void aRegimeHasPhasesAndMemoryOfItsOwn() {
        List<PhaseMemory> plain = play(oneStep()).phases();
        List<PhaseMemory> more = play(oneStep(), new Buffer()).phases();
        assertEquals(plain.size() + 1, more.size());
        assertEquals(Moment.of(Phase.INPUTS, 0), more.get(2).moment());
        for (int i = 2; i < plain.size(); i++) {
            boolean alive =
                    plain.get(i).phase() != Phase.BACKWARD && plain.get(i).phase() != Phase.OPTIMIZER;
            assertEquals(
                    plain.get(i).allocated() + (alive ? MIB : 0),
                    more.get(i + 1).allocated(),
                    plain.get(i).moment()::label);
        }
    }
}
