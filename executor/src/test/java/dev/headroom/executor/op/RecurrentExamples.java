package dev.headroom.executor.op;

final class RecurrentExamples {
    private static final long INPUT = 3;
    private static final long HIDDEN = 2;

    private RecurrentExamples() {}

    static void add(Examples o) {
        cell(o, "gru", 3, false).tensor("b_ih", 6).tensor("b_hh", 6);
        cell(o, "gru", 3, false).none("b_ih").none("b_hh").label("without biases");
        cell(o, "rnn_tanh", 1, false).tensor("b_ih", 2).tensor("b_hh", 2);
        cell(o, "rnn_relu", 1, false).none("b_ih").none("b_hh");
        cell(o, "lstm", 4, true).tensor("b_ih", 8).tensor("b_hh", 8);
        cell(o, "lstm", 4, true).none("b_ih").none("b_hh").label("without biases");
        for (String name : new String[] {"rnn_tanh", "rnn_relu", "gru", "lstm"}) {
            layers(o, name, 1, false, true, false);
            layers(o, name, 1, true, true, true).label("bidirectional, batch first");
            layers(o, name, 2, false, true, false).label("two layers");
            layers(o, name, 2, true, false, false).label("two bidirectional layers without biases");
            layers(o, name, 3, true, true, false, 0.5)
                    .label("with dropout between layers")
                    .doubleOnly()
                    .libraryDraws();
        }
        projected(o, 1, false, true).label("projected");
        projected(o, 2, true, false).label("projected, two bidirectional layers without biases");
    }

    private static Example cell(Examples o, String name, long gates, boolean two) {
        Example e = o.of("aten." + name + "_cell").tensor("input", 2, INPUT);
        if (two) {
            e.list("hx", new long[] {2, HIDDEN}, new long[] {2, HIDDEN});
        } else {
            e.tensor("hx", 2, HIDDEN);
        }
        return e.tensor("w_ih", gates * HIDDEN, INPUT)
                .tensor("w_hh", gates * HIDDEN, HIDDEN)
                .halfTolerance(4);
    }

    /** Of two units a state of one. */
    private static Example projected(Examples o, int count, boolean bidirectional, boolean biased) {
        int directions = bidirectional ? 2 : 1;
        Example e = o.of("aten.lstm").tensor("input", 3, 2, INPUT);
        e.list("hx", new long[] {count * directions, 2, 1}, new long[] {count * directions, 2, HIDDEN});
        int each = biased ? 5 : 3;
        long[][] params = new long[each * count * directions][];
        for (int i = 0; i < params.length; i++) {
            long[] input = {4 * HIDDEN, i / each < directions ? INPUT : directions};
            boolean projects = i % each == each - 1;
            params[i] = projects
                    ? new long[] {1, HIDDEN}
                    : i % each == 0 ? input : i % each == 1 ? new long[] {4 * HIDDEN, 1} : new long[] {4 * HIDDEN};
        }
        return e.list("params", params)
                .flag("has_biases", biased)
                .integer("num_layers", count)
                .real("dropout", 0)
                .flag("train", true)
                .flag("bidirectional", bidirectional)
                .flag("batch_first", false)
                .halfTolerance(8);
    }

    /** Three steps of two sequences. */
    private static Example layers(
            Examples o, String name, int count, boolean bidirectional, boolean biased, boolean batchFirst) {
        return layers(o, name, count, bidirectional, biased, batchFirst, 0);
    }

    private static Example layers(
            Examples o,
            String name,
            int count,
            boolean bidirectional,
            boolean biased,
            boolean batchFirst,
            double dropout) {
        int directions = bidirectional ? 2 : 1;
        long gates = name.equals("gru") ? 3 : name.equals("lstm") ? 4 : 1;
        long[] states = {count * directions, 2, HIDDEN};
        Example e = o.of("aten." + name).tensor("input", batchFirst ? 2 : 3, batchFirst ? 3 : 2, INPUT);
        if (name.equals("lstm")) {
            e.list("hx", states, states);
        } else {
            e.tensor("hx", states);
        }
        int each = biased ? 4 : 2;
        long[][] params = new long[each * count * directions][];
        for (int i = 0; i < params.length; i++) {
            boolean first = i / each < directions;
            long rows = gates * HIDDEN;
            params[i] = switch (i % each) {
                case 0 -> new long[] {rows, first ? INPUT : directions * HIDDEN};
                case 1 -> new long[] {rows, HIDDEN};
                default -> new long[] {rows};
            };
        }
        return e.list("params", params)
                .flag("has_biases", biased)
                .integer("num_layers", count)
                .real("dropout", dropout)
                .flag("train", true)
                .flag("bidirectional", bidirectional)
                .flag("batch_first", batchFirst)
                .halfTolerance(8);
    }
}
