package dev.headroom.estimator.op.creation;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;

/** Copies, conversions and what does nothing at all. */
public final class CopyRules {
    private CopyRules() {}

    public static void register(Registry r) {
        r.single(
                "aten.clone",
                c -> Copies.clone(c.runtime(), c.tensor("self"), c.format("memory_format", MemoryFormat.PRESERVE)));
        r.single(
                "aten.contiguous",
                c -> Copies.contiguous(
                        c.runtime(), c.tensor("self"), c.format("memory_format", MemoryFormat.CONTIGUOUS)));
        r.single("aten.to", CopyRules::to);
        r.single("aten._to_copy", c -> {
            Tensor t = c.tensor("self");
            DType type = c.type("dtype", t.dtype());
            MemoryFormat format = c.format("memory_format", MemoryFormat.PRESERVE);
            return HostCopies.moves(c, t)
                    ? HostCopies.move(c.runtime(), t, type, format)
                    : Copies.toCopy(c.runtime(), t, type, format);
        });
        r.single("aten.type_as", CopyRules::to);
        r.single("aten.float", c -> Copies.to(c.runtime(), c.tensor("self"), DType.FLOAT32));
        r.single("aten.copy_", c -> Copies.copyInto(c.runtime(), c.tensor("self"), c.tensor("src")));
        r.single("aten.requires_grad_", CopyRules::requireGrad);
        r.add("aten._assert_tensor_metadata", c -> new Tensor[0]);
        r.add("aten._assert_scalar", c -> new Tensor[0]);
        r.add("aten._assert_async", c -> new Tensor[0]);
        r.add("aten.sym_constrain_range_for_size", c -> new Tensor[0]);
    }

    /** A tensor that something made requires one already or becomes a leaf; nothing else is done to it. */
    private static Tensor requireGrad(Call c) {
        Tensor t = c.tensor("self");
        if (!t.requiresGrad()) {
            c.runtime().requireGrad(t, true);
        }
        return t;
    }

    private static Tensor to(Call c) {
        Tensor t = c.tensor("self");
        DType type = c.has("other") ? c.tensor("other").dtype() : c.type("dtype", t.dtype());
        MemoryFormat format = c.format("memory_format", MemoryFormat.PRESERVE);
        boolean copy = c.flag("copy", false);
        if (HostCopies.moves(c, t)) {
            return HostCopies.move(c.runtime(), t, type, format);
        }
        if (format != MemoryFormat.PRESERVE && !copy && t.dtype() == type) {
            return Copies.contiguous(c.runtime(), t, format);
        }
        return copy || t.dtype() != type ? Copies.toCopy(c.runtime(), t, type, format) : t;
    }
}
