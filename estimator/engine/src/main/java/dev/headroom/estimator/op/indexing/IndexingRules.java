package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Joining;
import dev.headroom.estimator.op.core.Unary;
import dev.headroom.estimator.op.rule.Registry;

/** Joining, indexing and gathering; {@link Indexing} plays most of it. */
public final class IndexingRules {
    private IndexingRules() {}

    public static void register(Registry r) {
        r.single("aten.cat", c -> Joining.cat(c.runtime(), c.integer("dim", 0), c.tensors("tensors")));
        r.alias("aten.concat", "aten.cat");
        r.single("aten.stack", c -> Joining.stack(c.runtime(), c.integer("dim", 0), c.tensors("tensors")));
        r.single("aten.hstack", c -> Joining.hstack(c.runtime(), c.tensors("tensors")));
        r.single("aten.vstack", c -> Joining.vstack(c.runtime(), c.tensors("tensors")));
        r.single("aten.column_stack", c -> Joining.columnStack(c.runtime(), c.tensors("tensors")));
        r.single("aten.gather", Indexing::gather);
        r.single("aten.index_select", Indexing::indexSelect);
        r.single("aten.index.Tensor", Indexing::index);
        r.single("transformers.rows_in_order", Indexing::fromHost);
        r.single("aten.nonzero", NonZero::run);
        r.single("aten.masked_select", NonZero::masked);
        r.alias("aten.argwhere", "aten.nonzero");
        for (String name : new String[] {"aten.where.default", "aten.nonzero_numpy"}) {
            r.add(name, c -> NonZero.apart(new Body(c.runtime(), r), c));
            r.bound(name, "all places count as found");
        }
        r.bound("aten.argwhere", "all places count as found");
        r.bound("aten.nonzero", "all places count as found");
        r.bound("aten.masked_select", "all places count as selected");
        r.single(
                "aten.roll",
                c -> Indexing.roll(c.runtime(), c.tensor("self"), Math.max(1, c.integers("shifts").length)));
        r.single("aten.flip", c -> Indexing.permuting(c, "FlipBackward0"));
        r.single("aten.fliplr", c -> Indexing.permuting(c, "FlipBackward0"));
        r.single("aten.flipud", c -> Indexing.permuting(c, "FlipBackward0"));
        for (String name : new String[] {"tril", "triu"}) {
            r.single("aten." + name, c -> Indexing.triangle(c));
            r.single(
                    "aten." + name + "_",
                    c -> Unary.apply(
                            c.runtime(), "TrilBackward0", c.tensor("self"), Unary.Keep.NOTHING, Unary.SCALED, true));
        }
    }
}
