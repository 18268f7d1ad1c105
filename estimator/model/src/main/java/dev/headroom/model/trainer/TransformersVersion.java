package dev.headroom.model.trainer;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of the transformers library and what its Trainer and its losses did otherwise. Differences are
 * those of the releases' sources, of the versions that are named.
 */
public record TransformersVersion(int major, int minor) implements Comparable<TransformersVersion> {
    /** The oldest version that is modelled. */
    public static final TransformersVersion OLDEST = new TransformersVersion(4, 40);

    /** The newest version that is modelled. */
    public static final TransformersVersion NEWEST = new TransformersVersion(5, 17);

    private static final Pattern TEXT = Pattern.compile("([0-9]{1,2})\\.([0-9]{1,3})(\\.[0-9]{1,3})?");

    /**
     * Reads a version such as "4.48.1".
     *
     * @throws IllegalArgumentException when it is none that is modelled, with a message for the user
     */
    public static TransformersVersion of(String text) {
        Matcher m = TEXT.matcher(text.strip());
        if (!m.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a version; write it like " + NEWEST);
        }
        TransformersVersion version =
                new TransformersVersion(Integer.parseInt(m.group(1)), Integer.parseInt(m.group(2)));
        if (version.compareTo(OLDEST) < 0 || version.compareTo(NEWEST) > 0) {
            throw new IllegalArgumentException(
                    version + " is not modelled; name a version from " + OLDEST + " to " + NEWEST);
        }
        return version;
    }

    private boolean since(int thatMajor, int thatMinor) {
        return compareTo(new TransformersVersion(thatMajor, thatMinor)) >= 0;
    }

    /**
     * The loss of causal models moves the labels and takes the scores as they are: in 4.49.0 (loss/loss_utils.py); in
     * 4.48.1 all scores but the last are copied.
     */
    public boolean movesLabels() {
        return since(4, 49);
    }

    /** Models are handed the number of labels of a step: in 4.48.1 (trainer.py, get_batch_samples), not in 4.45.2. */
    public boolean countsItems() {
        return since(4, 46);
    }

    /** That number stays on the device: in 4.50.0, not in 4.49.0. */
    public boolean itemsOnDevice() {
        return since(4, 50);
    }

    /** Losses are multiplied by the number of processes by default: in 4.55.0 (training_args.py), not in 4.51.0. */
    public boolean averagesTokens() {
        return since(4, 52);
    }

    /** {@code adamw} is the fused one where PyTorch's version allows it: in 4.55.0, not in 4.51.0. */
    public boolean fusesAdam() {
        return since(4, 52);
    }

    /** A layer checkpoints its own call, not its caller: in 4.52.4 (modeling_layers.py), not in 4.51.3. */
    public boolean layersCheckpointThemselves() {
        return since(4, 52);
    }

    /** Checkpoints are not re-entrant by default: in 5.0.0 (modeling_utils.py), not in 4.55.0. */
    public boolean checkpointsNotReentrant() {
        return since(5, 0);
    }

    /**
     * Experts are modules with linear layers, which bitsandbytes quantises and peft wraps like any other: in 4.55.0
     * (models/mixtral/modeling_mixtral.py); in 5.0.0 two parameters hold the weights of all.
     */
    public boolean expertsAreModules() {
        return !since(5, 0);
    }

    @Override
    public int compareTo(TransformersVersion that) {
        return major != that.major ? Integer.compare(major, that.major) : Integer.compare(minor, that.minor);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
