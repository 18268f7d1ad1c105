package dev.headroom.executor.op;

import dev.headroom.graph.MemoryFormat;

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
        o.of("aten.flatten").tensor("self", 2, 3, 2).integer("start_dim", 1);
    }
}
