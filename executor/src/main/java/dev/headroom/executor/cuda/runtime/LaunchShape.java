package dev.headroom.executor.cuda.runtime;

import dev.headroom.allocator.Bytes;

/**
 * The grid of a kernel's launch.
 *
 * @param gridX blocks; a launch with a 0 among the three does nothing
 * @param gridY blocks, at most 65,535
 * @param gridZ blocks, at most 65,535
 * @param blockX threads of a block; the product of the three is at most 1,024
 * @param blockY threads of a block
 * @param blockZ threads of a block, at most 64
 * @param sharedBytes dynamic shared memory of a block, in bytes
 */
public record LaunchShape(int gridX, int gridY, int gridZ, int blockX, int blockY, int blockZ, int sharedBytes) {
    private static final int THREADS = 256;
    private static final int WARP = 32;

    /** One dimension: blocks and the threads of each. */
    public static LaunchShape of(int blocks, int threads) {
        return new LaunchShape(blocks, 1, 1, threads, 1, 1, 0);
    }

    /** Blocks of 256 threads, one thread an element; none for no elements. */
    public static LaunchShape elements(long elements) {
        return of(Math.toIntExact(Bytes.ceilDiv(elements, THREADS)), THREADS);
    }

    /** A block for each line, of as many threads as the line's elements can use: a power of two. */
    public static LaunchShape lines(long lines, long length) {
        int threads = WARP;
        while (threads < 2 * THREADS && threads < length) {
            threads *= 2;
        }
        return of(Math.toIntExact(lines), threads);
    }

    /** The same with this much dynamic shared memory. */
    public LaunchShape withShared(int bytes) {
        return new LaunchShape(gridX, gridY, gridZ, blockX, blockY, blockZ, bytes);
    }

    boolean isEmpty() {
        return gridX == 0 || gridY == 0 || gridZ == 0;
    }
}
