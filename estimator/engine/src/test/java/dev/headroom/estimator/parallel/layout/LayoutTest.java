package dev.headroom.estimator.parallel.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Divisions of GPT-2 and of single tensors, as traces of PyTorch 2.14 show them. */
class LayoutTest {
    private static final long MIB = 1 << 20;
    private static final int H = 768;

    /** Rows and row lengths of a block's parameters, in the order of registration. */
    private static final int[][] BLOCK = {
        {H, 1},
        {H, 1},
        {H, 3 * H},
        {3 * H, 1},
        {H, H},
        {H, 1},
        {H, 1},
        {H, 1},
        {H, 4 * H},
        {4 * H, 1},
        {4 * H, H},
        {H, 1}
    };

    private static final int[][] ROOT = {{50257, H}, {1024, H}, {H, 1}, {H, 1}};

    private static List<Long> gpt2() {
        List<Long> out = new ArrayList<>();
        add(out, ROOT, 0, 2);
        for (int i = 0; i < 12; i++) {
            add(out, BLOCK, 0, BLOCK.length);
        }
        add(out, ROOT, 2, 4);
        return out;
    }

    private static void add(List<Long> out, int[][] shapes, int from, int to) {
        for (int i = from; i < to; i++) {
            out.add((long) shapes[i][0] * shapes[i][1]);
        }
    }

    private static List<Piece> pieces(List<Long> numels) {
        return numels.stream().map(n -> new Piece(DType.FLOAT32, 4 * n)).toList();
    }

    private static List<Long> bytes(List<List<Integer>> chunks) {
        return Buckets.bytes(pieces(gpt2()), chunks);
    }

    @Test
    void bucketsCloseWhenTheirLimitIsReached() {
        List<Long> found = new ArrayList<>(bytes(Buckets.ofRegistered(pieces(gpt2()), MIB, 25 * MIB)));
        Collections.reverse(found);
        List<Long> expected = new ArrayList<>(List.of(9216L));
        expected.addAll(Collections.nCopies(11, 28351488L));
        expected.addAll(List.of(31494144L, 154389504L));
        assertEquals(expected, found);
    }

    @Test
    void stateIsBroadcastInTwoCopies() {
        assertEquals(List.of(270938112L, 226821120L), bytes(Buckets.ofRegistered(pieces(gpt2()), 250 * MIB)));
    }

    @Test
    void onlyOneTypeSharesABucket() {
        List<Piece> mixed =
                List.of(new Piece(DType.FLOAT32, 256), new Piece(DType.INT64, 8), new Piece(DType.FLOAT32, 256));
        assertEquals(List.of(List.of(0, 2), List.of(1)), Buckets.ofRegistered(mixed, Buckets.UNLIMITED));
        assertEquals(List.of(List.of(1), List.of(0, 2)), TakenTensors.reaching(mixed, 10 * MIB));
        assertEquals(List.of(List.of(0, 2), List.of(1)), TakenTensors.within(mixed, 10 * MIB));
    }

    @Test
    void chunksThatAreBroadcastExceedTheLimit() {
        List<Long> found = bytes(TakenTensors.reaching(pieces(gpt2()), 10 * MIB));
        assertEquals(List.of(154389504L, 12598272L, 18895872L, 18902016L, 16536576L), found.subList(0, 5));
        assertEquals(25, found.size());
        assertEquals(9458688L, found.get(24));
    }

    @Test
    void chunksThatAreReducedStayWithinTheLimit() {
        List<Long> found = bytes(TakenTensors.within(pieces(gpt2()), 10 * MIB));
        assertEquals(List.of(154389504L, 10238976L, 2368512L, 9449472L, 9446400L, 9455616L), found.subList(0, 6));
        assertEquals(38, found.size());
    }

    @Test
    void largestParametersAreDealtFirst() {
        List<Long> found = GreedyPartition.of(gpt2(), 4).stream()
                .map(own -> own.stream().mapToLong(i -> 4 * gpt2().get(i)).sum())
                .toList();
        assertEquals(List.of(154389504L, 114032640L, 115605504L, 113731584L), found);
    }

    @Test
    void shardsArePaddedToOneSize() {
        ShardLayout embedding = ShardLayout.of(new long[] {50257, H}, 8);
        assertEquals(154411008L, 8 * 4 * embedding.paddedNumel());
        assertEquals(50257 - 7 * 6283, embedding.rows(7));
        assertEquals(7L * H, embedding.padding());
        ShardLayout few = ShardLayout.of(new long[] {10}, 8);
        assertEquals(2, few.rows(4));
        assertEquals(0, few.rows(5));
        assertEquals(1, ShardLayout.of(new long[0], 8).rows(0));
    }

    private static long[] shards(int[][] shapes, int ranks) {
        long[] out = new long[shapes.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = 4
                    * ShardLayout.of(new long[] {shapes[i][0], shapes[i][1]}, ranks)
                            .paddedNumel();
        }
        return out;
    }

    @Test
    void tablesOfManyTensorCopies() {
        assertEquals(7368, CopyMetadata.split(shards(BLOCK, 8), 8, 132, 2048));
        assertEquals(14480, CopyMetadata.cat(shards(BLOCK, 8)));
        assertEquals(19392, CopyMetadata.split(shards(ROOT, 8), 8, 132, 2048));
        assertEquals(77160, CopyMetadata.cat(shards(ROOT, 8)));
        assertEquals(14280, CopyMetadata.split(shards(BLOCK, 4), 4, 132, 2048));
        assertEquals(28320, CopyMetadata.cat(shards(BLOCK, 4)));
        assertEquals(30928, CopyMetadata.split(shards(ROOT, 4), 4, 132, 2048));
        assertEquals(111368, CopyMetadata.cat(shards(BLOCK, 1)));
    }
}
