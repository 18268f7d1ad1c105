package dev.headroom.estimator.cudnn;

import dev.headroom.allocator.Bytes;
import java.io.DataInputStream;
import java.io.IOException;

/**
 * In how many parts cuDNN splits the sum of a tile that is left over ({@link SplitSums}): at most as many as there is
 * room for, and fewer where sums are short beside what it costs to join two parts. A tree tells which limit holds.
 */
final class SumParts {
    private static final String FILE = "rules/sums/parts-90.gz";
    private static final SumParts READ = RuleFile.read(FILE, SumParts::new);

    /**
     * Steps of a sum of float16 that pass while two parts of a tile are joined: some, and more of small tiles, in which
     * a step is short. cuDNN counts on twice as many in float32 and eight times as many in bfloat16.
     */
    private static final double JOIN = 4.8;

    private static final double JOIN_OF_ELEMENTS = 31_300;

    private static final int FLOAT32 = 0;
    private static final int FLOAT16 = 1;
    private static final int BFLOAT16 = 2;
    private static final double[] JOIN_BY_TYPE = {2, 1, 8};

    private enum Kind {
        /** A number of parts. */
        AT_MOST,
        /** As many as there is room for. */
        ROOM,
        /** Parts of so many steps or more. */
        LONGER
    }

    private final Kind[] kinds;
    private final int[] numbers;
    private final DecisionTree tree;

    private SumParts(DataInputStream in) throws IOException {
        kinds = new Kind[in.readUnsignedShort()];
        numbers = new int[kinds.length];
        for (int i = 0; i < kinds.length; i++) {
            kinds[i] = Kind.values()[in.readUnsignedByte()];
            numbers[i] = in.readUnsignedShort();
        }
        tree = DecisionTree.read(in);
    }

    /**
     * The number of parts, at least 1.
     *
     * @param steps steps of a sum
     * @param room parts of each tile that could run at once
     * @param waves whether other tiles fill a wave
     * @param area elements of a tile
     */
    static long of(ConvolutionShape q, long steps, long room, boolean waves, long area) {
        if (room < 2) {
            return 1;
        }
        int type = q.element() == Float.BYTES ? FLOAT32 : q.bfloat() ? BFLOAT16 : FLOAT16;
        double join = JOIN_BY_TYPE[type] * (JOIN + JOIN_OF_ELEMENTS / area);
        float[] description = {steps, (float) (steps / join), room, waves ? 1 : 0, type};
        return READ.parts(READ.tree.outcome(description), steps, room);
    }

    /** Parts are equally long but for the last. */
    private long parts(int outcome, long steps, long room) {
        long most =
                switch (kinds[outcome]) {
                    case AT_MOST -> Math.min(numbers[outcome], room);
                    case ROOM -> room;
                    case LONGER -> Math.min(steps / numbers[outcome], room);
                };
        return most < 2 ? 1 : Bytes.ceilDiv(steps, Bytes.ceilDiv(steps, most));
    }
}
