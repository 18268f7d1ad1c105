package dev.headroom.executor.op.shape;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.elementwise.ComparisonOperators;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.generation.VariableNodes;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;

/** {@code aten.clone}, {@code aten.to} and their like. */
public final class CopyOperators {
    private CopyOperators() {}

    public static void register(Operators o) {
        o.add1("aten.contiguous", (e, a) -> {
            MemoryFormat format = a.format("memory_format");
            return Copies.contiguous(e, a.tensor("self"), format == null ? MemoryFormat.CONTIGUOUS : format);
        });
        o.add1("aten.clone", (e, a) -> {
            MemoryFormat format = a.format("memory_format");
            return Copies.clone(e, a.tensor("self"), format == null ? MemoryFormat.PRESERVE : format);
        });
        o.add1("aten.detach", (e, a) -> e.detach(a.tensor("self")));
        o.add1("aten.detach_", (e, a) -> a.tensor("self"));
        o.add1(
                "aten.alias",
                (e, a) -> Views.view(e, a.tensor("self"), a.tensor("self").sizes()));
        o.add1(
                "aten.lift_fresh_copy",
                (e, a) -> a.node().goesToHost()
                        ? a.tensor("self")
                        : Copies.clone(e, a.tensor("self"), MemoryFormat.PRESERVE));
        o.add1("aten.to", CopyOperators::to);
        o.add1("aten._to_copy", CopyOperators::to);
        o.add1(
                "aten.type_as",
                (e, a) -> Copies.to(e, a.tensor("self"), a.tensor("other").dtype()));
        o.add1("aten.copy_", (e, a) -> copyInto(e, a.tensor("self"), a.tensor("src")));
        o.add1("aten.fill_", (e, a) -> fill(e, a));
        o.add("aten._assert_tensor_metadata", (e, a) -> new Tensor[0]);
        // What a model from a config.json says of a variable that lives on: it is read.
        o.add(VariableNodes.USE, (e, a) -> new Tensor[0]);
    }

    /** Another type, or from host memory to the device. */
    private static Tensor to(Eager e, Arguments a) {
        Tensor t = a.tensor("self");
        DType asked = a.has("other") ? a.tensor("other").dtype() : a.dtype("dtype");
        DType type = asked == null ? t.dtype() : asked;
        if (!t.onDevice() && a.node().goesToDevice()) {
            Tensor out = e.empty(type);
            Elementwise.fill(e, out, t.number());
            return out;
        }
        MemoryFormat format = a.format("memory_format");
        boolean copies = a.flag("copy", false) && type == t.dtype();
        return copies ? Copies.clone(e, t, format == null ? MemoryFormat.PRESERVE : format) : Copies.to(e, t, type);
    }

    /** {@code copy_}: the values of another tensor, which broadcast. */
    static Tensor copyInto(Eager e, Tensor t, Tensor from) {
        var r = e.record("CopyBackwards", t, from);
        DType type = from.dtype();
        Copies.fill(e, t, from);
        r.backward(g -> new Tensor[] {
            r.needs(0) ? Slices.zeros(e, g[0], g[0].sizes()) : null, r.needs(1) ? Copies.to(e, g[0], type) : null
        });
        return r.changed(t);
    }

    private static Tensor fill(Eager e, Arguments a) {
        Tensor t = a.tensor("self");
        Tensor value = ComparisonOperators.operand(a, "value");
        var r = e.record("FillBackward0", t);
        if (value.onDevice()) {
            Copies.fill(e, t, value);
        } else {
            Elementwise.fill(e, t, value.number());
        }
        r.backward(g -> new Tensor[] {Slices.zeros(e, g[0], g[0].sizes())});
        return r.changed(t);
    }
}
