package dev.headroom.model.family.part;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** {@code nn.ModuleList}, which nobody calls. */
public final class ModuleList extends Layer {
    /** Appends a module. */
    public <M extends Layer> M add(M module) {
        return child(Integer.toString(count++), module);
    }

    private int count;

    @Override
    protected String type() {
        return "torch.nn.modules.container.ModuleList";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        throw new IllegalStateException("a list of modules runs nothing");
    }
}
