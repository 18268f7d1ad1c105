package dev.headroom.executor.op;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.Arrays;
import java.util.List;

final class MatrixExamples {
    private MatrixExamples() {}

    static void add(Examples o) {
        o.of("aten.mm").tensor("self", 3, 4).tensor("mat2", 4, 2);
        for (String type : new String[] {"nf4", "fp4"}) {
            o.of("bitsandbytes.linear_4bit")
                    .tensor("input", 3, 4)
                    .fixed("weight", DType.UINT8, new long[] {4, 1}, 0x1F, 0xA3, 0x70, 0x5C)
                    .fixed("absmax", DType.FLOAT32, new long[] {1}, 0.5)
                    .argument("shape", new Argument.Ints(List.of(SymExpr.of(2), SymExpr.of(4))))
                    .argument("quant_type", new Argument.Text(type))
                    .argument("compute_dtype", new Argument.Type(DType.FLOAT64))
                    .argument("weight_dtype", new Argument.Type(DType.FLOAT64))
                    .doubleOnly()
                    .label(type);
        }
        o.of("aten.mm")
                .laidOut("self", new int[] {1, 0}, 3, 4)
                .tensor("mat2", 4, 2)
                .label("transposed");
        o.of("aten.addmm").tensor("self", 2).tensor("mat1", 3, 4).tensor("mat2", 4, 2);
        o.of("aten.addmm")
                .tensor("self", 3, 2)
                .tensor("mat1", 3, 4)
                .tensor("mat2", 4, 2)
                .real("beta", 0.5)
                .real("alpha", 2)
                .label("scaled");
        o.of("aten.bmm").tensor("self", 2, 3, 4).tensor("mat2", 2, 4, 2);
        o.of("aten.baddbmm").tensor("self", 2, 3, 2).tensor("batch1", 2, 3, 4).tensor("batch2", 2, 4, 2);
        o.of("aten.baddbmm")
                .tensor("self", 3, 1)
                .tensor("batch1", 2, 3, 4)
                .tensor("batch2", 2, 4, 2)
                .real("beta", 0.5)
                .real("alpha", 2)
                .label("broadcast, scaled");
        o.of("aten.mv").tensor("self", 3, 4).tensor("vec", 4);
        o.of("aten.dot").tensor("self", 4).tensor("tensor", 4);
        o.of("aten.vdot").tensor("self", 4).tensor("other", 4);
        for (long[][] shapes : new long[][][] {
            {{4}, {4}},
            {{3, 4}, {4}},
            {{4}, {4, 2}},
            {{3, 4}, {4, 2}},
            {{2, 3, 4}, {4, 2}},
            {{3, 4}, {2, 4, 2}},
            {{2, 3, 4}, {2, 4, 2}},
            {{2, 1, 3, 4}, {3, 4, 2}},
            {{2, 3, 4}, {4}},
            {{4}, {2, 4, 2}}
        }) {
            o.of("aten.matmul")
                    .tensor("self", shapes[0])
                    .tensor("other", shapes[1])
                    .label(Arrays.toString(shapes[0]) + Arrays.toString(shapes[1]));
        }
        o.of("aten.linear").tensor("input", 3, 4).tensor("weight", 2, 4).tensor("bias", 2);
        o.of("aten.linear")
                .tensor("input", 2, 3, 4)
                .tensor("weight", 2, 4)
                .tensor("bias", 2)
                .label("of three dimensions");
        o.of("aten.linear")
                .laidOut("input", new int[] {1, 0, 2}, 2, 3, 4)
                .tensor("weight", 2, 4)
                .tensor("bias", 2)
                .label("transposed");
        o.of("aten.linear").tensor("input", 3, 4).tensor("weight", 2, 4).label("without bias");
    }
}
