package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.rule.Registry;

/** Writing by indices; {@link Scatter} plays it. */
public final class ScatterRules {
    private ScatterRules() {}

    public static void register(Registry r) {
        for (String end : new String[] {"", "_"}) {
            boolean inPlace = end.equals("_");
            r.single("aten.scatter" + end + ".src", c -> Scatter.put(c, "ScatterBackward0", "src", inPlace, true));
            r.single("aten.scatter" + end + ".value", c -> Scatter.put(c, "ScatterBackward1", null, inPlace, true));
            r.single("aten.scatter_add" + end, c -> Scatter.put(c, "ScatterAddBackward0", "src", inPlace, false));
            r.single("aten.index_add" + end, c -> Scatter.put(c, "IndexAddBackward0", "source", inPlace, false));
            r.single("aten.index_copy" + end, c -> Scatter.put(c, "IndexCopyBackward0", "source", inPlace, true));
            r.single(
                    "aten.index_fill" + end + ".int_Scalar",
                    c -> Scatter.put(c, "IndexFillBackward0", null, inPlace, true));
            r.single("aten.index_put" + end, c -> Scatter.indexPut(c, inPlace));
            r.single("aten.scatter_reduce" + end + ".two", c -> {
                String reduce = c.text("reduce", "sum");
                return reduce.equals("sum") && c.flag("include_self", true)
                        ? Scatter.put(c, "ScatterReduceBackward0", "src", inPlace, false)
                        : Scatter.reduced(c, reduce, inPlace);
            });
        }
        for (String end : new String[] {"", "_"}) {
            r.single("aten.put" + end, c -> Scatter.placed(c, end.equals("_")));
        }
        Filling.register(r);
        Membership.register(r);
        IndexReduce.register(r);
        Combinations.register(r);
        r.bound("aten.index_fill.int_Tensor", "all indices count as different where the value has a gradient");
        r.bound("aten.index_fill_.int_Tensor", "all indices count as different where the value has a gradient");
        r.single("aten.take", Scatter::take);
        r.single("aten.take_along_dim", Scatter::takeAlongDim);
        r.single("aten.one_hot", Scatter::oneHot);
    }
}
