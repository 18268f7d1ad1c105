package dev.headroom.executor.op;

import dev.headroom.graph.MemoryFormat;

/** {@code aten.clone} and its like. */
final class CopyOperators {
    private CopyOperators() {}

    static void register(Operators o) {
        o.add1("aten.contiguous", (e, a) -> Copies.contiguous(e, a.tensor("self")));
        o.add1("aten.clone", (e, a) -> {
            MemoryFormat format = a.format("memory_format");
            return Copies.clone(e, a.tensor("self"), format == null ? MemoryFormat.PRESERVE : format);
        });
        o.add1("aten.detach", (e, a) -> e.detach(a.tensor("self")));
    }
}
