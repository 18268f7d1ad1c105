package dev.headroom.estimator.op.view;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;

/**
 * {@code pad_sequence} (ATen/native/PackedSequence.cpp): one tensor of padding, into whose parts sequences are copied.
 */
final class PaddedSequences {
    private PaddedSequences() {}

    static void register(Registry r) {
        r.single("aten.pad_sequence", c -> padded(new Body(c.runtime(), r), c));
        r.single("aten.sum_to_size", c -> summed(c, c.tensor("self"), c.integers("size")));
    }

    /** To a scalar it sums, even what is one (ATen/ExpandUtils.h, sum_to). */
    private static Tensor summed(Call c, Tensor t, long[] sizes) {
        return sizes.length == 0
                ? Reductions.sum(c.runtime(), t, null, false, t.dtype())
                : Reductions.sumTo(c.runtime(), t, sizes);
    }

    private static Tensor padded(Body b, Call c) {
        Tensor[] sequences = c.tensors("sequences");
        boolean batchFirst = c.flag("batch_first", false);
        boolean left = c.text("padding_side", "right").equals("left");
        long longest = 0;
        for (Tensor s : sequences) {
            longest = Math.max(longest, s.size(0));
        }
        long[] sizes = new long[sequences[0].dim() + 1];
        System.arraycopy(sequences[0].sizes(), 1, sizes, 2, sizes.length - 2);
        sizes[batchFirst ? 0 : 1] = sequences.length;
        sizes[batchFirst ? 1 : 0] = longest;
        Tensor out = b.let(b.made(c.runtime().empty(sequences[0].dtype(), sizes)));
        for (int i = 0; i < sequences.length; i++) {
            long length = sequences[i].size(0);
            long from = left ? longest - length : 0;
            Tensor row = batchFirst ? b.call("select.int", out, 0, i) : out;
            Tensor part = b.call("slice.Tensor", row, 0, from, from + length);
            b.call("copy_", batchFirst ? part : b.call("select.int", part, 1, i), sequences[i]);
            b.end();
        }
        return b.give(out);
    }
}
