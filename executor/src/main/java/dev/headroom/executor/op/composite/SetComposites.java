package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.registry.Operators;

/** Composites that put, find, count, compare or draw values. */
public final class SetComposites {
    private SetComposites() {}

    public static void register(Operators o) {
        Fillings.register(o);
        Membership.register(o);
        Bincounts.register(o);
        PaddedSequences.register(o);
        Gradients.register(o);
        Normals.register(o);
        WeightLengths.register(o);
        ShortTimeInverse.register(o);
        Renormalisation.register(o);
    }
}
