package dev.headroom.executor.op;

final class ElementwiseExamples {
    private static final int[] CHANNELS_LAST = {0, 2, 3, 1};

    private ElementwiseExamples() {}

    static void add(Examples o) {
        for (String activation : new String[] {"relu", "relu_", "sigmoid", "sigmoid_", "tanh", "tanh_"}) {
            o.of("aten." + activation).tensor("self", 3, 4);
        }
        o.of("aten.relu").laidOut("self", CHANNELS_LAST, 2, 3, 2, 2).label("channels last");
    }
}
