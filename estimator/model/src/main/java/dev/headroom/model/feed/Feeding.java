package dev.headroom.model.feed;

import dev.headroom.model.record.Withers;
import org.jspecify.annotations.Nullable;

/**
 * How batches come to the device, and what a script does with the model beside its steps.
 *
 * @param movesBatches each step brings a batch, {@code for x, y in loader: x, y = x.to(device), y.to(device)}: the
 *     names are the host's tensors first, so that the batch before is gone
 * @param prefetch a loader of timm's kind ({@code timm/data/loader.py, PrefetchLoader}) brings the next batch on a
 *     stream of its own while a step runs; images come as bytes and become floats there
 * @param lastBatch samples of the last batch of an epoch; {@code null}: as many as of the others
 * @param epochs how often all steps are played
 * @param summary a forward pass over two samples comes before the first step, as {@code torchsummary} runs it
 */
@Withers
public record Feeding(
        boolean movesBatches, boolean prefetch, @Nullable Long lastBatch, int epochs, boolean summary)
        implements FeedingWithers.With {
    /** One batch, which serves all steps unless the loop says otherwise. */
    public static final Feeding DEFAULTS = new Feeding(false, false, null, 1, false);

    /** Whether each step brings a batch of its own. */
    public boolean brings() {
        return movesBatches || prefetch || lastBatch != null;
    }

    /** Whether anything is asked for. */
    public boolean any() {
        return !equals(DEFAULTS);
    }
}
