package dev.headroom.executor.train;

import dev.headroom.model.run.Moment;
import java.util.function.DoubleConsumer;

/** A training loop as a measurement runs it. */
public interface TrainingRun extends AutoCloseable {
    /**
     * Brings the model, the optimizer and a batch to the device.
     *
     * @throws dev.headroom.model.error.UserInputException when the executor lacks an operator
     */
    void prepare(Batch batch);

    /** Runs all steps. */
    void run();

    /** Where the run has come to. */
    Moment moment();

    /** Has someone told the value of every loss when it is computed. */
    void onLoss(DoubleConsumer listener);

    /** Lets go of everything, whatever state the run ended in. */
    @Override
    void close();
}
