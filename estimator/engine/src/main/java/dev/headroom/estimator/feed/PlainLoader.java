package dev.headroom.estimator.feed;

import dev.headroom.estimator.loop.Batch;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.repeat.Beginning;

/** Each batch comes from the host when it is needed. */
final class PlainLoader implements Loader {
    private final TrainingLoop loop;

    /** The names hold the host's tensors first, so that the batch before is gone when the next one comes. */
    private final boolean unpacks;

    PlainLoader(TrainingLoop loop, boolean unpacks) {
        this.loop = loop;
        this.unpacks = unpacks;
    }

    @Override
    public void describe(Beginning to) {
        // It remembers nothing.
    }

    @Override
    public void begin(Step step) {
        go(step);
    }

    @Override
    public void go(Step step) {
        Batch before = loop.batch();
        if (unpacks) {
            before.drop();
        }
        Batch next = loop.makeBatch(step.sizes());
        loop.load(next);
        loop.use(next);
        before.drop();
    }
}
