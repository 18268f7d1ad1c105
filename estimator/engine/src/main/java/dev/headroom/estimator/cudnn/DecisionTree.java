package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A binary tree of comparisons, its nodes in preorder: the left child follows its parent. A feature that is at most the
 * threshold goes left.
 */
final class DecisionTree {
    private static final byte LEAF = -1;
    private static final int PLANES = 4;

    /** The feature that a node compares, or {@link #LEAF}. */
    private final byte[] features;
    /** Of inner nodes, by their rank among them; read when compared, because an outcome meets few of them. */
    private final byte[] thresholds;
    /** The rank of an inner node among inner nodes. */
    private final int[] ranks;
    /** The right child of an inner node, the outcome of a leaf. */
    private final int[] next;

    private DecisionTree(byte[] features, byte[] thresholds, int[] ranks, int[] next) {
        this.features = features;
        this.thresholds = thresholds;
        this.ranks = ranks;
        this.next = next;
    }

    /**
     * Reads the features of all nodes, the thresholds of inner nodes and the outcomes of leaves, byte by byte in
     * planes.
     */
    static DecisionTree read(DataInputStream in) throws IOException {
        int nodes = in.readInt();
        byte[] features = in.readNBytes(nodes);
        int leaves = nodes / 2 + 1;
        byte[] thresholds = in.readNBytes((nodes - leaves) * PLANES);
        byte[] outcomes = in.readNBytes(leaves * 2);
        int[] ranks = new int[nodes];
        int[] next = new int[nodes];
        int[] open = new int[nodes];
        int depth = 0;
        int inner = 0;
        int leaf = 0;
        for (int i = 0; i < nodes; i++) {
            if (features[i] == LEAF) {
                next[i] = plane(outcomes, leaf, leaves, 2);
                leaf++;
                if (depth > 0) {
                    depth--;
                    next[open[depth]] = i + 1; // the left side of this node is complete
                }
            } else {
                ranks[i] = inner++;
                open[depth++] = i;
            }
        }
        return new DecisionTree(features, thresholds, ranks, next);
    }

    /** Reads a tree for each direction of a convolution, in their order. */
    static List<DecisionTree> readByDirection(DataInputStream in) throws IOException {
        List<DecisionTree> trees = new ArrayList<>();
        for (int i = 0; i < ConvolutionProblem.Direction.values().length; i++) {
            trees.add(read(in));
        }
        return trees;
    }

    private static int plane(byte[] bytes, int at, int length, int planes) {
        int value = 0;
        for (int p = 0; p < planes; p++) {
            value = value << Byte.SIZE | Byte.toUnsignedInt(bytes[p * length + at]);
        }
        return value;
    }

    private float threshold(int node) {
        return Float.intBitsToFloat(plane(thresholds, ranks[node], thresholds.length / PLANES, PLANES));
    }

    /** The outcome for a description. */
    int outcome(float[] description) {
        int i = 0;
        while (features[i] != LEAF) {
            i = description[features[i]] <= threshold(i) ? i + 1 : next[i];
        }
        return next[i];
    }
}
