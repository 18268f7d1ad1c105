package dev.headroom.model.plan;

import dev.headroom.model.error.UserInputException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What each rank of a group has of a tensor (torch/distributed/tensor/placement_types.py).
 *
 * @param dim the divided dimension of a shard, negative ones from the end; 0 else
 */
public record Placement(Kind kind, int dim) {
    /** The whole tensor. */
    public static final Placement REPLICATE = new Placement(Kind.REPLICATE, 0);

    /** A tensor of the full size; the sum over the ranks is meant. */
    public static final Placement PARTIAL = new Placement(Kind.PARTIAL, 0);

    /** The same of rows of an embedding that the rank has; the others are still to be masked. */
    public static final Placement MASKED = new Placement(Kind.MASKED, 0);

    private static final Pattern SHARD = Pattern.compile("Shard\\((?:dim=)?(-?\\d+)\\)");

    /** The ways. */
    public enum Kind {
        REPLICATE,
        PARTIAL,
        MASKED,
        SHARD
    }

    /** A run of indices of one dimension. */
    public static Placement shard(int dim) {
        return new Placement(Kind.SHARD, dim);
    }

    /** As PyTorch writes it: {@code Replicate()}, {@code Shard(1)}. */
    public static Placement parse(String text) {
        Matcher shard = SHARD.matcher(text.strip());
        if (shard.matches()) {
            return shard(Integer.parseInt(shard.group(1)));
        }
        if (text.strip().matches("Replicate(\\(\\))?")) {
            return REPLICATE;
        }
        throw new UserInputException("'" + text + "' is no layout; it takes Replicate() and Shard(DIM)");
    }

    public boolean isShard() {
        return kind == Kind.SHARD;
    }

    /** Whether ranks have summands. */
    public boolean isPartial() {
        return kind == Kind.PARTIAL || kind == Kind.MASKED;
    }

    /** With a dimension that counts from the front. */
    public Placement of(int dims) {
        return isShard() && dim < 0 ? shard(dim + dims) : this;
    }

    /**
     * How a gradient is laid out: summands need no sum (torch/distributed/tensor/_api.py,
     * _normalize_placements_for_grad).
     */
    public Placement ofGradient() {
        return isPartial() ? REPLICATE : this;
    }
}
