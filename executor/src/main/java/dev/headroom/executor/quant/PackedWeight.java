package dev.headroom.executor.quant;

import dev.headroom.executor.kernel.ExchangeKernels;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.quant.FourBit;
import org.jspecify.annotations.Nullable;

/**
 * The tensors that hold a weight of four bits.
 *
 * @param codes two in a byte
 * @param scales of blocks; codes of them where {@code nested} is given
 * @param nested how the scales became codes, or {@code null}
 */
public record PackedWeight(
        CodeBook book,
        Tensor codes,
        Tensor scales,
        @Nullable Nested nested) {
    /**
     * Scales that are codes themselves.
     *
     * @param offset what was taken off the scales before they became codes
     * @param scales of blocks of scales
     */
    public record Nested(Tensor offset, Tensor scales) {}

    /** Sets the tensors to a weight's values, where values are computed at all. */
    public void set(Eager e, Tensor weight) {
        ExchangeKernels exchange = e.backend().exchange();
        double[] values = exchange.values(weight);
        if (values == null) {
            return;
        }
        double[] greatest = Blocks.scales(values, FourBit.BLOCK);
        exchange.set(codes, Blocks.packed(Blocks.codes(values, greatest, FourBit.BLOCK, book)));
        if (nested == null) {
            exchange.set(scales, greatest);
            return;
        }
        double mean = 0;
        for (double scale : greatest) {
            mean += scale / greatest.length;
        }
        double[] centred = new double[greatest.length];
        for (int i = 0; i < centred.length; i++) {
            centred[i] = greatest[i] - mean;
        }
        double[] greatestScales = Blocks.scales(centred, FourBit.NESTED_BLOCK);
        exchange.set(nested.offset(), new double[] {mean});
        exchange.set(nested.scales(), greatestScales);
        exchange.set(scales, Blocks.codes(centred, greatestScales, FourBit.NESTED_BLOCK, CodeBook.DYNAMIC));
    }

    /** The scales of blocks of weights; {@code null} where no values are computed. */
    private double @Nullable [] restoredScales(ExchangeKernels exchange) {
        double[] kept = exchange.values(scales);
        if (kept == null || nested == null) {
            return kept;
        }
        double[] greatest = exchange.computed(nested.scales());
        double mean = exchange.computed(nested.offset())[0];
        double[] out = Blocks.numbers(kept, greatest, FourBit.NESTED_BLOCK, CodeBook.DYNAMIC);
        for (int i = 0; i < out.length; i++) {
            out[i] += mean;
        }
        return out;
    }

    /** The weight's values, row by row; {@code null} where no values are computed. */
    public double @Nullable [] values(Eager e, int elements) {
        ExchangeKernels exchange = e.backend().exchange();
        double[] blocks = restoredScales(exchange);
        return blocks == null
                ? null
                : Blocks.numbers(Blocks.unpacked(exchange.computed(codes), elements), blocks, FourBit.BLOCK, book);
    }

    /** Sets a tensor to the weight's values. */
    public void restore(Eager e, Tensor into) {
        double[] values = values(e, Math.toIntExact(into.elements()));
        if (values != null) {
            e.backend().exchange().set(into, values);
        }
    }
}
