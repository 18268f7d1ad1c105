package dev.headroom.estimator.parallel.group;

import java.util.ArrayList;
import java.util.List;

/**
 * Ranks in a grid, the last dimension running fastest (torch/distributed/device_mesh.py).
 *
 * @param sizes of its dimensions, the outermost first
 */
public record Mesh(List<Integer> sizes) {
    public Mesh {
        sizes = List.copyOf(sizes);
        if (sizes.isEmpty() || sizes.stream().anyMatch(s -> s < 1)) {
            throw new IllegalArgumentException("a mesh has dimensions of at least 1, not " + sizes);
        }
    }

    /** All ranks. */
    public int world() {
        return sizes.stream().reduce(1, Math::multiplyExact);
    }

    /** Where a rank is, an entry a dimension. */
    public List<Integer> coordinates(int rank) {
        if (rank < 0 || rank >= world()) {
            throw new IllegalArgumentException("rank " + rank + " is not in a mesh of " + world());
        }
        List<Integer> out = new ArrayList<>();
        int rest = rank;
        for (int d = sizes.size() - 1; d >= 0; d--) {
            out.add(0, rest % sizes.get(d));
            rest /= sizes.get(d);
        }
        return out;
    }

    /** Which rank is there. */
    public int rank(List<Integer> coordinates) {
        int out = 0;
        for (int d = 0; d < sizes.size(); d++) {
            out = out * sizes.get(d) + coordinates.get(d);
        }
        return out;
    }

    /** The ranks that differ from one in a single dimension, itself among them, in order. */
    public List<Integer> along(int dimension, int rank) {
        List<Integer> at = new ArrayList<>(coordinates(rank));
        List<Integer> out = new ArrayList<>();
        for (int i = 0; i < sizes.get(dimension); i++) {
            at.set(dimension, i);
            out.add(rank(at));
        }
        return out;
    }
}
