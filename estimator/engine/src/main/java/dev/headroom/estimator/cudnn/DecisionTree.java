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
    private static final int LEAF = 255;
    private static final int PLANES = 4;

    /** The feature that a node compares, or {@link #LEAF}. */
    private final byte[] features;
    /** Of inner nodes. */
    private final float[] thresholds;
    /** The right child of an inner node, the outcome of a leaf. */
    private final int[] next;

    private DecisionTree(byte[] features, float[] thresholds, int[] next) {
        this.features = features;
        this.thresholds = thresholds;
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
        byte[] bits = in.readNBytes((nodes - leaves) * PLANES);
        byte[] outcomes = in.readNBytes(leaves * 2);
        float[] thresholds = new float[nodes];
        int[] next = new int[nodes];
        int[] open = new int[nodes];
        int depth = 0;
        int inner = 0;
        int leaf = 0;
        for (int i = 0; i < nodes; i++) {
            if (Byte.toUnsignedInt(features[i]) == LEAF) {
                next[i] = plane(outcomes, leaf, leaves, 2);
                leaf++;
                if (depth > 0) {
                    depth--;
                    next[open[depth]] = i + 1; // the left side of this node is complete
                }
            } else {
                thresholds[i] = Float.intBitsToFloat(plane(bits, inner, nodes - leaves, PLANES));
                inner++;
                open[depth++] = i;
            }
        }
        return new DecisionTree(features, thresholds, next);
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

    /** The outcome for a description. */
    int outcome(float[] description) {
        int i = 0;
        while (Byte.toUnsignedInt(features[i]) != LEAF) {
            i = description[features[i]] <= thresholds[i] ? i + 1 : next[i];
        }
        return next[i];
    }
}
