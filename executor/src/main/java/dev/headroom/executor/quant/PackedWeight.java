package dev.headroom.executor.quant;

import dev.headroom.executor.kernel.ExchangeKernels;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.quant.FourBit;

/**
 * The tensors that hold a weight of four bits.
 *
 * @param codes two in a byte
 * @param scales of blocks; codes of them where {@code nestedScales} is given
 * @param offset what was taken off the scales before they became codes, else {@code null}
 * @param nestedScales of blocks of scales, or {@code null}
 */
public record PackedWeight(CodeBook book, Tensor codes, Tensor scales, Tensor offset, Tensor nestedScales) {
    /** Sets the tensors to a weight's values, where values are computed at all. */
    public void set(Eager e, Tensor weight) {
        ExchangeKernels exchange = e.backend().exchange();
        double[] values = exchange.values(weight);
        if (values == null) {
            return;
        }
        double[] greatest = Blocks.scales(values, FourBit.BLOCK);
        exchange.set(codes, Blocks.packed(Blocks.codes(values, greatest, FourBit.BLOCK, book)));
        if (nestedScales == null) {
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
        double[] nested = Blocks.scales(centred, FourBit.NESTED_BLOCK);
        exchange.set(offset, new double[] {mean});
        exchange.set(nestedScales, nested);
        exchange.set(scales, Blocks.codes(centred, nested, FourBit.NESTED_BLOCK, CodeBook.DYNAMIC));
    }

    /** The scales of blocks of weights; {@code null} where no values are computed. */
    private double[] restoredScales(ExchangeKernels exchange) {
        double[] kept = exchange.values(scales);
        if (kept == null || nestedScales == null) {
            return kept;
        }
        double[] nested = exchange.values(nestedScales);
        double mean = exchange.values(offset)[0];
        double[] out = Blocks.numbers(kept, nested, FourBit.NESTED_BLOCK, CodeBook.DYNAMIC);
        for (int i = 0; i < out.length; i++) {
            out[i] += mean;
        }
        return out;
    }

    /** The weight's values, row by row; {@code null} where no values are computed. */
    public double[] values(Eager e, int elements) {
        ExchangeKernels exchange = e.backend().exchange();
        double[] blocks = restoredScales(exchange);
        return blocks == null
                ? null
                : Blocks.numbers(Blocks.unpacked(exchange.values(codes), elements), blocks, FourBit.BLOCK, book);
    }

    /** Sets a tensor to the weight's values. */
    public void restore(Eager e, Tensor into) {
        double[] values = values(e, Math.toIntExact(into.elements()));
        if (values != null) {
            e.backend().exchange().set(into, values);
        }
    }
}
