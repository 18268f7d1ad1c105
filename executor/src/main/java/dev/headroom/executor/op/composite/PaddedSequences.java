package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * {@code pad_sequence} (aten/src/ATen/native/PackedSequence.cpp): one tensor of padding, into whose parts sequences are
 * copied; and {@code sum_to_size}, which sums over what broadcasting to a tensor's sizes repeats.
 */
final class PaddedSequences {
    private PaddedSequences() {}

    static void register(Operators o) {
        Calls.add(o, "aten.pad_sequence", PaddedSequences::padded);
        Calls.add(o, "aten.sum_to_size", PaddedSequences::summed);
    }

    private static Tensor padded(Calls c, Arguments a) {
        Eager e = c.e();
        Tensor[] sequences = Arrays.stream(a.tensors("sequences"))
                .map(s -> Objects.requireNonNull(s, "sequence"))
                .toArray(Tensor[]::new);
        boolean batchFirst = a.flag("batch_first", false);
        boolean left = a.text("padding_side", "right").equals("left");
        long longest = Arrays.stream(sequences).mapToLong(s -> s.size(0)).max().orElse(0);
        long[] sizes = new long[sequences[0].dims() + 1];
        System.arraycopy(sequences[0].sizes(), 1, sizes, 2, sizes.length - 2);
        sizes[batchFirst ? 0 : 1] = sequences.length;
        sizes[batchFirst ? 1 : 0] = longest;
        Tensor out = e.empty(sequences[0].dtype(), sizes);
        Elementwise.fill(e, out, a.real("padding_value", 0));
        for (int i = 0; i < sequences.length; i++) {
            long length = sequences[i].size(0);
            long from = left ? longest - length : 0;
            try (var s = e.open()) {
                Tensor row = batchFirst ? Slices.select(e, out, 0, i) : out;
                Tensor part = Slices.slice(e, row, 0, from, from + length, 1);
                Tensor into = batchFirst ? part : Slices.select(e, part, 1, i);
                c.call("copy_", "self", into, "src", sequences[i]);
            }
        }
        return out;
    }

    private static Tensor summed(Calls c, Arguments a) {
        Tensor t = a.tensor("self");
        long[] sizes = a.integers("size");
        if (sizes.length == 0) {
            return c.call("sum", "self", t); // even what is a scalar
        }
        if (Arrays.equals(sizes, t.sizes())) {
            return t;
        }
        int lead = t.dims() - sizes.length;
        long[] dims = IntStream.range(0, t.dims())
                .filter(d -> d < lead || sizes[d - lead] == 1 && t.size(d) != 1)
                .mapToLong(d -> d)
                .toArray();
        Tensor sum = c.call("sum", "self", t, "dim", dims, "keepdim", true);
        return lead == 0 ? sum : c.call("view", "self", sum, "size", sizes);
    }
}
