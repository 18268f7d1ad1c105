package dev.headroom.estimator.parallel.layout;

import dev.headroom.allocator.Bytes;

/**
 * A tensor divided by its first dimension among ranks, as {@code torch.chunk} does: each gets as many rows, rounded up,
 * and the last ones what is left, or nothing (torch/distributed/fsdp/_fully_shard/_fsdp_common.py, _chunk_with_empty).
 * Storage is padded to the same size on all ranks (_fsdp_param.py, _init_sharded_param).
 *
 * @param rows size of the first dimension; 1 for a scalar
 * @param rowNumel elements of a row
 * @param ranks among which it is divided
 */
public record ShardLayout(long rows, long rowNumel, int ranks) {
    /** Of a tensor with these sizes. */
    public static ShardLayout of(long[] sizes, int ranks) {
        long row = 1;
        for (int d = 1; d < sizes.length; d++) {
            row *= sizes[d];
        }
        return new ShardLayout(sizes.length == 0 ? 1 : sizes[0], row, ranks);
    }

    /** Rows of every rank's storage. */
    public long paddedRows() {
        return Bytes.ceilDiv(rows, ranks);
    }

    /** Rows that a rank really has. */
    public long rows(int rank) {
        return Math.max(0, Math.min(paddedRows(), rows - rank * paddedRows()));
    }

    /** Elements of every rank's storage. */
    public long paddedNumel() {
        return paddedRows() * rowNumel;
    }

    /** Elements that a rank really has. */
    public long numel(int rank) {
        return rows(rank) * rowNumel;
    }

    /** Elements that all ranks hold beyond the whole tensor. */
    public long padding() {
        return ranks * paddedNumel() - rows * rowNumel;
    }
}
