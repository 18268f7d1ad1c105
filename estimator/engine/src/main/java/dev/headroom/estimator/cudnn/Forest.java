package dev.headroom.estimator.cudnn;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;

/** Decision trees that were learned from samples drawn anew for each, and vote. */
record Forest(DecisionTree[] trees) {
    /** Reads the number of trees and the trees. */
    static Forest read(DataInputStream in) throws IOException {
        DecisionTree[] trees = new DecisionTree[in.readUnsignedByte()];
        for (int i = 0; i < trees.length; i++) {
            trees[i] = DecisionTree.read(in);
        }
        return new Forest(trees);
    }

    /** What each tree names. */
    int[] outcomes(float[] description) {
        return Stream.of(trees).mapToInt(t -> t.outcome(description)).toArray();
    }

    /** The outcome that most trees name, the lower of equals. */
    int outcome(float[] description) {
        int[] votes = outcomes(description);
        Arrays.sort(votes);
        int best = votes[0];
        long most = 0;
        for (int vote : votes) {
            long count = Arrays.stream(votes).filter(v -> v == vote).count();
            if (count > most) {
                best = vote;
                most = count;
            }
        }
        return best;
    }
}
