package dev.headroom.executor.load;

import dev.headroom.executor.kernel.ExchangeKernels;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.reduction.ReductionOperators;
import dev.headroom.executor.program.ModelMemory;
import dev.headroom.executor.quant.CodeBook;
import dev.headroom.executor.quant.PackedWeight;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.quant.FourBit;
import dev.headroom.model.quant.QuantKind;
import dev.headroom.model.quant.Quantisation;
import dev.headroom.model.quant.pass.QuantisedWeight;

/**
 * Quantises weights as they are loaded (bitsandbytes/nn/modules.py, Params4bit and Int8Params; functional.py,
 * quantize_4bit). A weight is there in full until its codes are.
 */
final class WeightPacker {
    private static final Formula DIFFERENCE = Formula.binary("quant_difference", "x0 - x1", (a, b) -> a - b);

    private final Eager eager;
    private final ModelMemory model;
    private final Quantisation how;

    /** Whether the table of the 8-bit type, which a process makes once, is there. */
    private boolean tabled;

    WeightPacker(Eager eager, ModelMemory model, Quantisation how) {
        this.eager = eager;
        this.model = model;
        this.how = how;
    }

    void load(String key, QuantisedWeight weight) {
        try (Scope s = eager.open()) {
            Tensor full = eager.empty(weight.type(), weight.out(), weight.in());
            double bound = 1 / Math.sqrt((double) weight.in());
            eager.backend()
                    .random()
                    .uniform(full, -bound, bound, eager.randomness().next());
            if (how.kind() == QuantKind.INT8) {
                integers(key, full);
            } else {
                if (weight.turned()) {
                    eager.emptyLike(full); // made row-major
                }
                codes(key, full, weight.elements());
            }
        }
    }

    private Tensor kept(String key, String part, Tensor made) {
        model.put(part.isEmpty() ? key : QuantisedWeight.named(key, part), eager.hold(made));
        return made;
    }

    private void codes(String key, Tensor full, long n) {
        Tensor greatest = eager.empty(DType.FLOAT32, FourBit.scales(n));
        Tensor codes = kept(key, "", eager.empty(DType.UINT8, FourBit.packed(n), 1));
        CodeBook book = how.kind() == QuantKind.NF4 ? CodeBook.NF4 : CodeBook.FP4;
        table(kept(key, "code", eager.empty(DType.FLOAT32, FourBit.CODES)), book);
        try (Scope division = eager.open()) {
            eager.empty(DType.FLOAT32, FourBit.CODES);
            eager.empty(DType.FLOAT32);
        }
        if (!how.doubleQuant()) {
            kept(key, "absmax", greatest);
            new PackedWeight(book, codes, greatest, null).set(eager, full);
            return;
        }
        Tensor offset = kept(key, "offset", ReductionOperators.mean(eager, greatest, new long[0], false, null));
        Tensor centred = eager.emptyLike(greatest);
        eager.backend().elementwise().map(DIFFERENCE, new double[0], new Tensor[] {centred}, greatest, offset);
        if (!tabled) {
            model.keep(eager.hold(eager.empty(DType.FLOAT32, FourBit.NESTED_CODES)));
            tabled = true;
        }
        Tensor nested = kept(key, "nested_absmax", eager.empty(DType.FLOAT32, FourBit.nestedScales(n)));
        Tensor scales = kept(key, "absmax", eager.empty(DType.UINT8, FourBit.scales(n)));
        table(kept(key, "nested_code", eager.empty(DType.FLOAT32, FourBit.NESTED_CODES)), CodeBook.DYNAMIC);
        new PackedWeight(book, codes, scales, new PackedWeight.Nested(offset, nested)).set(eager, full);
    }

    private void table(Tensor into, CodeBook book) {
        eager.backend().exchange().set(into, book.numbers());
    }

    /** By way of the host, from where it comes in half precision. */
    private void integers(String key, Tensor full) {
        Tensor half = eager.emptyLike(full, DType.FLOAT16);
        eager.backend().elementwise().copy(half, full);
        Tensor scales = kept(key, "SCB", eager.empty(DType.FLOAT32, full.size(0)));
        Tensor codes = kept(key, "", eager.empty(DType.INT8, full.sizes()));
        ExchangeKernels exchange = eager.backend().exchange();
        double[] values = exchange.values(half);
        if (values == null) {
            return;
        }
        int width = Math.toIntExact(full.size(1));
        double[] greatest = new double[values.length / width];
        for (int i = 0; i < values.length; i++) {
            greatest[i / width] = Math.max(greatest[i / width], Math.abs(values[i]));
        }
        double[] integers = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            integers[i] = Math.rint(127 * values[i] / greatest[i / width]);
        }
        exchange.set(scales, greatest);
        exchange.set(codes, integers);
    }
}
