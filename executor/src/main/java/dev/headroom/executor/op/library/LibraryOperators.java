package dev.headroom.executor.op.library;

import dev.headroom.executor.op.composite.Calls;
import dev.headroom.executor.op.registry.Operators;

/** All of them. */
public final class LibraryOperators {
    private LibraryOperators() {}

    public static void register(Operators o) {
        o.add1("transformers.bloom_gelu", (e, a) -> BloomGelu.apply(e, a.tensor("self")));
        Calls.add(o, "transformers.mamba_selective_scan", SelectiveScan::run);
        o.add1("transformers.joined_rows", (e, a) -> JoinedRows.apply(e, a.tensor("self")));
    }
}
