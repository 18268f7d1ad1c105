package dev.headroom.validation.generate;

import dev.headroom.build.Module;
import dev.headroom.build.Residual;
import dev.headroom.build.Scope;
import dev.headroom.build.Value;

/** A {@link Residual} whose sum may be in place or not, whatever else it has. */
final class SkipConnection extends Module {
    private final Module body;
    private final Module shortcut;
    private final Module end;
    private final boolean inPlace;

    SkipConnection(Module body, Module shortcut, Module end, boolean inPlace) {
        this.body = child("body", body);
        this.shortcut = shortcut == null ? null : child("shortcut", shortcut);
        this.end = end == null ? null : child("end", end);
        this.inPlace = inPlace;
    }

    @Override
    protected Value forward(Scope scope, Value... inputs) {
        scope.line("out = self.body(x)");
        Value out = scope.call(body, inputs[0]);
        Value identity = inputs[0];
        if (shortcut != null) {
            scope.line("identity = self.shortcut(x)");
            identity = scope.call(shortcut, inputs[0]);
        }
        if (inPlace) {
            scope.line("out += identity");
            out = scope.op("aten.add_.Tensor", Scope.arguments("self", out, "other", identity));
        } else {
            scope.line("out = identity + out");
            out = scope.op("aten.add.Tensor", Scope.arguments("self", identity, "other", out));
        }
        if (end != null) {
            scope.line("out = self.end(out)");
            out = scope.call(end, out);
        }
        return out;
    }
}
