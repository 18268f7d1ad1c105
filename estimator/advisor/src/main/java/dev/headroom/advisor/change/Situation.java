package dev.headroom.advisor.change;

import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;

/** A run and its model: what decides which changes there are, with which titles and lines of code. */
record Situation(ModelFacts model, Scenario run) {
    /** Whether there are backward passes and optimizer steps. */
    boolean trains() {
        return !run.loop().inference();
    }

    /** Whether a language model is fine-tuned: one that a library loads, or that has adapters. */
    boolean tunes() {
        return trains()
                && (model.loaded() || run.adapters().any() || run.quant().any());
    }

    TorchVersion torch() {
        return run.torch();
    }

    OptimizerKind optimizer() {
        return run.optimizer().kind();
    }
}
