package dev.headroom.model.feed;

import dev.headroom.model.record.Withers;
import org.jspecify.annotations.Nullable;

/**
 * How batches come to the device, and what a script does with the model beside its steps.
 *
 * @param data how each step comes by its batch
 * @param lastBatch samples of the last batch of an epoch; {@code null}: as many as of the others
 * @param epochs how often all steps are played
 * @param summary a forward pass over two samples comes before the first step, as {@code torchsummary} runs it
 */
@Withers
public record Feeding(DataKind data, @Nullable Long lastBatch, int epochs, boolean summary)
        implements FeedingWithers.With {
    /** One batch, which serves all steps unless the loop says otherwise. */
    public static final Feeding DEFAULTS = new Feeding(DataKind.ONE, null, 1, false);

    /** Whether each step brings a batch of its own. */
    public boolean brings() {
        return data != DataKind.ONE;
    }

    /** Whether anything is asked for. */
    public boolean any() {
        return data != DataKind.ONE || lastBatch != null || epochs != 1 || summary;
    }
}
