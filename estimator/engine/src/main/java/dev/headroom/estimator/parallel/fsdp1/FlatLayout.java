package dev.headroom.estimator.parallel.fsdp1;

import dev.headroom.allocator.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Where parameters lie in a flat one, and what of them a rank has
 * (torch/distributed/fsdp/_flat_param.py, _init_flat_param_and_metadata and _get_shard_metadata).
 *
 * @param pieces in order, paddings among them
 * @param numel elements of all pieces
 * @param ranks among which the whole is divided; 1 for none
 */
record FlatLayout(List<Piece> pieces, long numel, int ranks) {
    /**
     * A part of the flat parameter.
     *
     * @param parameter its place among the parameters, or -1 for a padding
     */
    record Piece(int parameter, long offset, long numel) {}

    /** What a rank has of a parameter: where it begins in the shard, and how many elements. */
    record Part(long offset, long numel) {}

    /**
     * Lays parameters out.
     *
     * @param aligned elements to whose multiples each begins, the whole then being padded to a multiple of the world; 0
     *     for neither
     * @param world all ranks, those included that have the whole as well
     */
    static FlatLayout of(List<Long> numels, long aligned, int ranks, int world) {
        List<Piece> pieces = new ArrayList<>();
        long at = 0;
        for (int i = 0; i < numels.size(); i++) {
            at += pad(pieces, at, aligned);
            pieces.add(new Piece(i, at, numels.get(i)));
            at += numels.get(i);
        }
        at += pad(pieces, at, aligned > 0 ? world : 0);
        return new FlatLayout(List.copyOf(pieces), at, ranks);
    }

    private static long pad(List<Piece> pieces, long at, long multiple) {
        long missing = multiple == 0 ? 0 : (multiple - at % multiple) % multiple;
        if (missing > 0) {
            pieces.add(new Piece(-1, at, missing));
        }
        return missing;
    }

    /** Elements of every rank's shard. */
    long shard() {
        return Bytes.ceilDiv(numel, ranks);
    }

    /** Elements of a rank's shard that are no padding behind the whole. */
    long filled(int rank) {
        return Math.max(0, Math.min(shard(), numel - rank * shard()));
    }

    /** Lengths of all pieces. */
    long[] lengths() {
        return pieces.stream().mapToLong(Piece::numel).toArray();
    }

    /** What a rank has of a piece; of no elements where it has nothing. */
    Part part(Piece piece, int rank) {
        long begin = rank * shard();
        long from = Math.max(begin, piece.offset());
        long to = Math.min(begin + shard(), piece.offset() + piece.numel());
        return to <= from ? new Part(0, 0) : new Part(from - begin, to - from);
    }
}
