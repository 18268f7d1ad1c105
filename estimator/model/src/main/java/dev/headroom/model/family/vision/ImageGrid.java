package dev.headroom.model.family.vision;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.SymExpr;
import java.util.Arrays;
import java.util.List;

/**
 * The patches of an image of any size, one with each sequence.
 *
 * @param rows of patches
 * @param columns of patches
 * @param merge patches along each side of a square that becomes one token
 */
record ImageGrid(long rows, long columns, long merge) {
    /** Of the image that is asked for. */
    static ImageGrid of(Request request, ModelConfig vision) {
        List<Integer> size = request.options().imageSize();
        if (size.isEmpty()) {
            throw new UserInputException("the model takes images of any size: pass `image_size=HxW`, in pixels and as"
                    + " the processor resizes them");
        }
        long merge = vision.size("spatial_merge_size");
        long square = vision.size("patch_size") * merge;
        if (size.size() != 2 || size.get(0) % square != 0 || size.get(1) % square != 0) {
            throw new UserInputException("`image_size` must be two sizes that are multiples of " + square
                    + ", as the processor makes them, such as " + 16 * square + "x" + 24 * square);
        }
        long patch = vision.size("patch_size");
        return new ImageGrid(size.get(0) / patch, size.get(1) / patch, merge);
    }

    /** Patches of an image. */
    long patches() {
        return rows * columns;
    }

    /** Tokens of an image. */
    long tokens() {
        return patches() / (merge * merge);
    }

    /** Tokens of all images of a batch. */
    SymExpr allTokens() {
        return SymExpr.call("Mul", Request.BATCH, SymExpr.of(tokens()));
    }

    /**
     * Patches of each window in turn, without windows that are empty ({@code get_vision_window_index}).
     *
     * @param side tokens along a window
     */
    long[] windows(long side) {
        long[] down = cut(rows / merge, side);
        long[] across = cut(columns / merge, side);
        return Arrays.stream(down)
                .flatMap(h -> Arrays.stream(across).map(w -> h * w * merge * merge))
                .toArray();
    }

    /** Windows that the library counts: each side is filled up to one more where it divides evenly. */
    long countedWindows(long side) {
        return (rows / merge / side + 1) * (columns / merge / side + 1);
    }

    private static long[] cut(long tokens, long side) {
        long[] parts = new long[Math.toIntExact((tokens + side - 1) / side)];
        Arrays.fill(parts, side);
        parts[parts.length - 1] = tokens - side * (parts.length - 1);
        return parts;
    }
}
