package dev.headroom.estimator.feed;

import dev.headroom.estimator.loop.Batch;
import dev.headroom.estimator.loop.TrainingLoop;

/** {@code for x, y in loader: x, y = x.to(device), y.to(device)}: the names let go of the batch before. */
final class PlainLoader implements Loader {
    private final TrainingLoop loop;

    PlainLoader(TrainingLoop loop) {
        this.loop = loop;
    }

    @Override
    public void begin(Step step) {
        go(step);
    }

    @Override
    public void go(Step step) {
        loop.batch().drop();
        Batch next = loop.makeBatch(step.sizes());
        loop.load(next);
        loop.use(next);
    }
}
