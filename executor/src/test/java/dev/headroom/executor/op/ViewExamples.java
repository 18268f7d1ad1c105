package dev.headroom.executor.op;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;

final class ViewExamples {
    private static final int[] TURNED = {1, 0};

    private ViewExamples() {}

    static void add(Examples o) {
        o.of("aten.contiguous").tensor("self", 3, 4);
        o.of("aten.contiguous").laidOut("self", TURNED, 3, 4).label("of a transposed one");
        o.of("aten.clone").tensor("self", 3, 4);
        o.of("aten.clone").tensor("self", 2, 3, 2, 2).format("memory_format", MemoryFormat.CHANNELS_LAST);
        o.of("aten.view").tensor("self", 3, 4).integers("size", 2, -1);
        o.of("aten.reshape").tensor("self", 3, 4).integers("shape", 6, 2);
        o.of("aten.reshape").laidOut("self", TURNED, 3, 4).integers("shape", 12).label("a copy");
        o.of("aten.transpose").tensor("self", 2, 3, 4).integer("dim0", 0).integer("dim1", -1);
        o.of("aten.t").tensor("self", 3, 4);
        o.of("aten.t").tensor("self", 3).label("of a vector");
        o.of("aten.expand").tensor("self", 3, 1).integers("size", 2, -1, 4);
        o.of("aten.unsqueeze").tensor("self", 3, 4).integer("dim", -1);
        o.of("aten.squeeze").tensor("self", 3, 1, 2).integer("dim", 1);
        o.of("aten.squeeze").tensor("self", 3, 2).integer("dim", 1).label("of a larger dimension");
        o.of("aten.alias").tensor("self", 3, 4);
        o.of("aten.lift_fresh_copy").tensor("self", 3, 4);
        o.of("aten._unsafe_view").tensor("self", 3, 4).integers("size", 4, 3);
        o.of("aten.expand_as").tensor("self", 3, 1).fixed("other", DType.BOOL, new long[] {2, 3, 2}, new double[12]);
        o.of("aten.view_as").tensor("self", 3, 4).fixed("other", DType.BOOL, new long[] {2, 6}, new double[12]);
        o.of("aten.type_as").tensor("self", 3, 4).fixed("other", DType.FLOAT64, new long[] {1}, 0);
        o.of("aten.to").tensor("self", 3, 4).type("dtype", DType.FLOAT64);
        o.of("aten.to")
                .tensor("self", 3, 4)
                .type("dtype", DType.FLOAT64)
                .flag("copy", true)
                .label("a copy");
        o.of("aten._to_copy").tensor("self", 3, 4).type("dtype", DType.FLOAT64);
        o.of("aten.permute").tensor("self", 2, 3, 4).integers("dims", 2, 0, 1);
        o.of("aten.movedim").tensor("self", 2, 3, 4).integers("source", 0).integers("destination", -1);
        o.of("aten.unflatten").tensor("self", 2, 6).integer("dim", 1).integers("sizes", 2, -1);
        o.of("aten.squeeze").tensor("self", 1, 3, 1).integers("dim", 0, 2).label("of several");
        o.of("aten.slice")
                .tensor("self", 3, 5)
                .integer("dim", 1)
                .integer("start", 1)
                .integer("end", 5)
                .integer("step", 2);
        o.of("aten.narrow")
                .tensor("self", 3, 5)
                .integer("dim", 1)
                .integer("start", 1)
                .integer("length", 3);
        o.of("aten.select").tensor("self", 3, 4).integer("dim", 1).integer("index", -1);
        o.of("aten.split").tensor("self", 5, 2).integer("split_size", 2).integer("dim", 0);
        o.of("aten.split_with_sizes")
                .tensor("self", 5, 2)
                .integers("split_sizes", 2, 3)
                .integer("dim", 0);
        o.of("aten.chunk").tensor("self", 5, 2).integer("chunks", 2);
        o.of("aten.unbind").tensor("self", 3, 2).integer("dim", 1);
        o.of("aten.flatten").tensor("self", 2, 3, 2).integer("start_dim", 1);
    }
}
