package dev.headroom.estimator.program;

import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Node;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which operators compute in host memory: those that are given tensors there, or a number in the place of
 * their first, and none on the device
 * (c10/core/TensorImpl.h, device dispatch). What they make is no memory of the device, until it is brought there.
 */
final class OnHost {
    /** Operators that take tensors of both kinds. */
    private static final Set<String> HOST_OPERANDS = Set.of(
            "aten.index",
            "aten.index_put",
            "aten.index_put_",
            "aten.copy_",
            "aten.to",
            "aten._to_copy",
            "aten.type_as",
            "aten.lift_fresh_copy");

    private OnHost() {}

    /** Whether a call does. */
    static boolean computes(Call call) {
        if (call.node().target().startsWith("aten.lift_fresh") || call.node().goesToDevice()) {
            return false; // torch.tensor(…, device=…) and other ways to the device
        }
        boolean host = false;
        List<Node.NamedArgument> arguments = call.node().arguments();
        for (int i = 0; i < arguments.size(); i++) {
            Node.NamedArgument a = arguments.get(i);
            Tensor t = call.tensor(a);
            if (t != null) {
                if (t.onDevice()) {
                    return false;
                }
                host |= !t.isWrappedNumber();
            } else if (a.name().equals("self") && isNumber(a.value())) {
                host = true; // torch.div(512, 256)
            } else if (a.value() instanceof Argument.Values) {
                for (Tensor of : call.tensors(a.name())) {
                    if (of != null && of.onDevice()) {
                        return false;
                    }
                    host |= of != null && !of.isWrappedNumber();
                }
            }
        }
        return host;
    }

    private static boolean isNumber(Argument value) {
        return value instanceof Argument.Int || value instanceof Argument.Float || value instanceof Argument.Bool;
    }

    /**
     * A call whose literal in host memory meets tensors on the device: {@code x * torch.as_tensor([1.0, 2.0],
     * device=x.device)}, whose copy to the device is not in the graph. Only numbers and indices may stay on the host.
     */
    static Call broughtAlong(Call call) {
        boolean device = false;
        String literal = null;
        List<Node.NamedArgument> arguments = call.node().arguments();
        for (int i = 0; i < arguments.size(); i++) {
            Node.NamedArgument a = arguments.get(i);
            Tensor t = call.tensor(a);
            device |= t != null && t.onDevice();
            literal = t != null && !t.onDevice() && t.dim() > 0 ? a.name() : literal;
        }
        return device && literal != null && !HOST_OPERANDS.contains(call.node().operator())
                ? call.with(Map.of(literal, new Tensor[] {call.runtime().emptyLike(call.tensor(literal))}), null)
                : call;
    }
}
