package dev.headroom.estimator.loading;

import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.program.ModelAssembly;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.quant.Load;
import dev.headroom.model.quant.pass.Loads;
import dev.headroom.model.quant.pass.Preparing;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A model that is loaded before the script does anything with it: a phase for its weights, where they are quantised one
 * in which it is prepared for training, and what is added to the model comes after both.
 */
public final class Loading implements LoopHook {
    private final Scenario run;
    private final Load how;
    private TrainingLoop loop;
    private @Nullable ModelAssembly model;

    /** What a library keeps beside the model. */
    private @Nullable Tensor kept;

    private Loading(Scenario run, Load how) {
        this.run = run;
        this.how = how;
    }

    /** What a scenario's loading does around the loop; nothing where the script builds its model. */
    public static List<LoopHook> of(Graph imported, Scenario run) {
        Load how = Loads.how(imported, run);
        return how == null ? List.of() : List.of(new Loading(run, how));
    }

    @Override
    public void describe(Beginning to) {
        to.part(kept); // all else that it did is over before the first step
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
    }

    @Override
    public void between(Moment next) {
        if (next.phase() != Phase.MODEL) {
            return;
        }
        loop.phase(Moment.of(Phase.LOAD), this::load);
        if (Preparing.casts(run)) {
            loop.phase(Moment.of(Phase.PREPARE), () -> new KbitPreparation(loop.runtime(), loaded()).run());
        }
    }

    private void load() {
        model = loop.assembly();
        if (how == Load.TO) {
            model.move();
        } else {
            kept = new DeviceMap(loop.runtime(), model, run).load();
        }
        new TiedBiases(loop.runtime(), model).copy();
    }

    @Override
    public ModelTensors model(Supplier<ModelTensors> own) {
        return new ModelTensors(loop.runtime(), loaded().add());
    }

    private ModelAssembly loaded() {
        return Objects.requireNonNull(model, "a model that is loaded");
    }
}
