package dev.headroom.estimator.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.feed.Feeder;
import dev.headroom.estimator.loading.Loading;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.program.Preparation;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.estimator.script.ScriptLoop;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.feed.DataKind;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.quant.QuantKind;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.AdapterSettings;
import dev.headroom.model.scenario.FeedSettings;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.ParameterGroup;
import dev.headroom.model.scenario.QuantSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.TrainerSettings;
import dev.headroom.model.trainer.LoopKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which steps are played from the events of the one before, and which are not. */
class RepeatedStepsTest {
    private static final Graph MODEL = Importers.read(Path.of("..", "..", "fixtures", "models", "cnn-small.pt2"));
    private static final int STEPS = 6;
    private static final int PASSES = 7;
    /** All but the first, which makes the optimizer's state, and the one that the others are like. */
    private static final int MOST = STEPS - 2;

    private final List<Moment> phases = new ArrayList<>();

    private int repeated(Scenario asked, LoopHook... regime) {
        return repeated(asked, false, regime);
    }

    private int repeated(Scenario asked, boolean interpretAll, LoopHook... regime) {
        return played(asked, interpretAll, regime).repeats().count();
    }

    private TrainingLoop played(Scenario asked, boolean interpretAll, LoopHook... regime) {
        return played(MODEL, asked, interpretAll, regime);
    }

    private TrainingLoop played(Graph model, Scenario asked, boolean interpretAll, LoopHook... regime) {
        Scenario run = asked.with(ScenarioSettings.STEPS, STEPS);
        EagerRuntime runtime = new EagerRuntime(
                new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 40)),
                new DeviceModel(9, 0, 132),
                new KernelOptions(0, Scenario.Attention.AUTO));
        PreparedRun prepared = Preparation.of(model, run);
        phases.clear();
        TrainingLoop loop = new TrainingLoop(runtime, prepared, List.of(regime), phases::add);
        if (interpretAll) {
            loop.repeats().interpretAll();
        }
        loop.play();
        return loop;
    }

    private static Scenario plain() {
        return Scenario.defaults().with(ScenarioSettings.BATCH, 2L);
    }

    @Test
    void stepsOfAPlainLoopRepeat() {
        assertEquals(MOST, repeated(plain()));
        List<Moment> seen = List.copyOf(phases);
        assertEquals(0, repeated(plain(), true));
        assertEquals(phases, seen);
        assertEquals(MOST, repeated(plain().with(ScenarioSettings.OPTIMIZER, OptimizerKind.SGD_MOMENTUM)));
        assertEquals(MOST, repeated(plain().with(ScenarioSettings.ZERO_GRAD_KEEP, true)));
        assertEquals(MOST, repeated(plain().with(ScenarioSettings.ACCUMULATE, 2)));
    }

    /** All passes but the first of a step, which makes the gradients, and the one that the others are like. */
    @Test
    void passesOfAStepRepeat() {
        for (Scenario run : List.of(
                plain(),
                plain().with(ScenarioSettings.ZERO_GRAD_KEEP, true),
                plain().with(ScenarioSettings.ZERO_GRAD_BEFORE_BACKWARD, true),
                plain().with(ScenarioSettings.DROP_OUTPUTS, true),
                plain().with(ScenarioSettings.AMP, DType.BFLOAT16),
                plain().with(ScenarioSettings.AMP, DType.FLOAT16),
                plain().with(ScenarioSettings.AMP, DType.FLOAT16).with(ScenarioSettings.CLIP_GRAD_NORM, 1.0),
                plain().with(ScenarioSettings.PARAM_GROUPS, List.of(new ParameterGroup(List.of("*.bias"), List.of()))),
                plain().with(ScenarioSettings.CHECKPOINT, 2),
                plain().with(ScenarioSettings.CHECKPOINT, 2).with(ScenarioSettings.REENTRANT, true),
                plain().with(TrainerSettings.LOOP, LoopKind.TRAINER),
                plain().with(TrainerSettings.LOOP, LoopKind.TRAINER).with(TrainerSettings.EVAL_BATCH, 2L),
                plain().with(TrainerSettings.EVAL_BATCH, 2L),
                plain().with(ScenarioSettings.OPTIMIZER, OptimizerKind.RADAM),
                plain().with(FeedSettings.DATA, DataKind.LOADER),
                plain().with(FeedSettings.DATA, DataKind.UNPACKED))) {
            Scenario asked = run.with(ScenarioSettings.ACCUMULATE, PASSES);
            TrainingLoop loop = played(asked, false, hooks(asked));
            List<Moment> seen = List.copyOf(phases);
            EventLog log = log(loop);
            int steps = run.optimizer().kind() == OptimizerKind.RADAM ? STEPS : STEPS - MOST;
            assertEquals(STEPS - steps, loop.repeats().count(), run.toString());
            // Under the Trainer the second pass of a step begins otherwise than those behind it.
            int second = run.trainer().loop().isTrainer() ? steps : 0;
            assertEquals(steps * (PASSES - 1) - 1 - second, loop.repeats().passes(), run.toString());
            TrainingLoop plain = played(asked, true, hooks(asked));
            assertEquals(0, plain.repeats().passes());
            assertEquals(phases, seen);
            assertSame(log(plain), log);
        }
    }

    /** The loader that fetches ahead has none to fetch in the end, and a batch of another size is another step. */
    @Test
    void stepsThatAreFedOtherwiseDoNot() {
        for (Scenario asked : List.of(
                plain().with(FeedSettings.DATA, DataKind.PREFETCH),
                plain().with(FeedSettings.DATA, DataKind.LOADER).with(FeedSettings.LAST_BATCH, 1L),
                plain().with(FeedSettings.DATA, DataKind.TIMM).with(FeedSettings.LAST_BATCH, 1L))) {
            for (int epochs = 1; epochs <= 2; epochs++) {
                Scenario run = asked.with(FeedSettings.EPOCHS, epochs);
                TrainingLoop loop = played(run, false, hooks(run));
                EventLog log = log(loop);
                // All but the first and the last, the one that fetches the last, and the one that the others are like.
                boolean fetchesAnother = run.feeding().data() == DataKind.TIMM;
                assertEquals(
                        epochs * (STEPS - (fetchesAnother ? 4 : 3)),
                        loop.repeats().count(),
                        run.toString());
                assertSame(log(played(run, true, hooks(run))), log);
            }
        }
    }

    /** Steps as well, but for the last, whose last pass fetches nothing. */
    @Test
    void passesThatFetchAheadRepeat() {
        Scenario asked = plain().with(FeedSettings.DATA, DataKind.PREFETCH).with(ScenarioSettings.ACCUMULATE, PASSES);
        TrainingLoop loop = played(asked, false, hooks(asked));
        EventLog log = log(loop);
        assertEquals(STEPS - 3, loop.repeats().count());
        assertEquals(3 * (PASSES - 1) - 2, loop.repeats().passes());
        assertSame(log(played(asked, true, hooks(asked))), log);
    }

    private static LoopHook[] hooks(Scenario run) {
        return Feeder.of(MODEL, run.with(ScenarioSettings.STEPS, STEPS)).toArray(LoopHook[]::new);
    }

    private static EventLog log(TrainingLoop loop) {
        return loop.runtime().devices().memory(0).log();
    }

    private static void assertSame(EventLog expected, EventLog log) {
        assertEquals(expected.size(), log.size());
        for (int event = 0; event < log.size(); event++) {
            assertEquals(expected.storage(event), log.storage(event), "event " + event);
            assertEquals(expected.isFree(event), log.isFree(event), "event " + event);
        }
        for (int storage = 0; storage < log.storages(); storage++) {
            assertEquals(expected.requested(storage), log.requested(storage), "storage " + storage);
        }
    }

    @Test
    void stepsOfOptimizersThatShowAllRepeat() {
        for (OptimizerKind kind : List.of(
                OptimizerKind.SGD,
                OptimizerKind.ADAM,
                OptimizerKind.RMSPROP,
                OptimizerKind.NADAM,
                OptimizerKind.ADAGRAD,
                OptimizerKind.ADADELTA,
                OptimizerKind.ADAFACTOR,
                OptimizerKind.ASGD,
                OptimizerKind.RPROP,
                OptimizerKind.ADAMW_8BIT,
                OptimizerKind.LION_32BIT,
                OptimizerKind.LAMB_32BIT)) {
            Scenario run = plain().with(ScenarioSettings.OPTIMIZER, kind);
            TrainingLoop loop = played(run, false);
            assertEquals(MOST, loop.repeats().count(), kind.toString());
            assertSame(log(played(run, true)), log(loop));
        }
    }

    /** Beside the weights, bitsandbytes keeps a table of codes for the second quantisation. */
    @Test
    void stepsOverWeightsThatAreQuantisedTwiceRepeat() {
        Graph model = Model.of("two layers", Sequential.of(Layers.linear(64, 64, false), Layers.linear(64, 7, false)))
                .input("x", DType.FLOAT32, Model.BATCH, 64)
                .graph();
        Scenario run = plain().with(ScenarioSettings.LOSS, LossKind.SUM)
                .with(AdapterSettings.LORA, 4)
                .with(AdapterSettings.TARGETS, List.of("all-linear"))
                .with(QuantSettings.QUANT, QuantKind.NF4)
                .with(QuantSettings.DOUBLE_QUANT, true);
        LoopHook loading = Loading.of(model, run).get(0);
        TrainingLoop loop = played(model, run, false, loading);
        assertEquals(MOST, loop.repeats().count());
        assertSame(log(played(model, run, true, Loading.of(model, run).get(0))), log(loop));
    }

    /** In a step of a script; some steps have a block of their own. */
    @Test
    void turnsOfALoopInAStepRepeat(@TempDir Path folder) throws IOException {
        int turns = 9;
        Path loops = Path.of("..", "..", "fixtures", "loops").toAbsolutePath();
        Path file = Files.writeString(folder.resolve("loop.yaml"), """
                models:
                  G: %1$s/generator.pt2
                  D: %1$s/discriminator.pt2
                optimizers:
                  g: {kind: rmsprop, of: G}
                  d: {kind: adamw8bit, of: D}
                data:
                  images: D.input
                  noise: G.input
                steps:
                  - repeat %2$d:
                      - real = load(images)
                      - z = load(noise)
                      - repeat %2$d:
                          - d.zero_grad()
                          - no_grad:
                              - fake = G(z)
                          - loss = D(fake).mean() - D(real).mean()
                          - loss.backward()
                          - d.step()
                  - every 3:
                      - g.zero_grad()
                      - loss = -D(G(z)).mean()
                      - loss.backward()
                      - g.step()
                """.formatted(loops, turns));
        Graph script = Importers.read(file);
        TrainingLoop loop =
                played(script, plain(), false, ScriptLoop.of(script, plain()).get(0));
        List<Moment> seen = List.copyOf(phases);
        TrainingLoop plain =
                played(script, plain(), true, ScriptLoop.of(script, plain()).get(0));
        assertEquals(0, plain.repeats().turns());
        assertEquals(phases, seen);
        assertSame(log(plain), log(loop));
        // Of the loop inside all but two turns, whenever it is played; of the one around it all but two in the first
        // step and behind the generator's first one, else all but one.
        int inside = turns - 2;
        assertEquals(
                2 * (2 * inside + turns - 2) + 4 * (inside + turns - 1),
                loop.repeats().turns());
    }

    /** LBFGS remembers more moves in every step; others count steps, which they do not show. */
    @Test
    void stepsOfOptimizersThatCountDoNot() {
        assertEquals(0, repeated(plain().with(ScenarioSettings.OPTIMIZER, OptimizerKind.LBFGS)));
        assertEquals(0, repeated(plain().with(ScenarioSettings.OPTIMIZER, OptimizerKind.RADAM)));
    }

    /** The Trainer empties the cache of blocks when it moves what it gathered to the host. */
    @Test
    void stepsThatEmptyTheCacheDoNot() {
        Scenario run = plain().with(TrainerSettings.LOOP, LoopKind.TRAINER).with(TrainerSettings.EVAL_BATCH, 2L);
        assertEquals(MOST, repeated(run));
        assertEquals(0, repeated(run.with(TrainerSettings.EVAL_ACCUMULATION, 1)));
    }

    @Test
    void stepsUnderHooksThatMayRememberDoNot() {
        assertEquals(0, repeated(plain(), new LoopHook() {}));
    }
}
