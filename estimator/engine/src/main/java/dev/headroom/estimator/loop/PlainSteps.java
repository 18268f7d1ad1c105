package dev.headroom.estimator.loop;

import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Loop;

/** The steps of a script's own loop. */
final class PlainSteps {
    private final TrainingLoop loop;
    private final Loop run;

    /** Whether a library's engine has the steps in hand. */
    private final boolean led;

    PlainSteps(TrainingLoop loop, boolean led) {
        this.loop = loop;
        this.run = loop.prepared().scenario().loop();
        this.led = led;
    }

    void run(int step) {
        if (!led) {
            loop.phase(Moment.of(Phase.ZERO_GRAD, step), () -> {
                loop.workOf(Phase.ZERO_GRAD);
                loop.zeroGrad();
            });
        }
        loop.hooks().wrapped(() -> passes(step), (hook, own) -> hook.passes(step, own));
        if (run.clips() && !led) {
            loop.phase(Moment.of(Phase.CLIP, step), () -> loop.clip(() -> GradientClipping.asked(loop)));
        }
        loop.phase(Moment.of(Phase.OPTIMIZER, step), () -> loop.step(loop.optimizer()));
        loop.hooks().each(h -> h.stepped(step));
    }

    private void passes(int step) {
        boolean several = run.accumulate() > 1;
        loop.repeats().playPasses(step, pass -> loop.passes().run(step, several ? pass : null));
    }
}
