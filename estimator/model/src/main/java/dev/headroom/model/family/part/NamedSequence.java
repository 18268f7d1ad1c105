package dev.headroom.model.family.part;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A module that calls its children one after the other, {@code x = self.fc1(x)}, as plain feed-forward parts do. They
 * are registered in the order in which they are added, which may be another than that of the calls.
 */
public final class NamedSequence extends Layer {
    private final String type;
    private final List<String> calls;
    private final Map<String, Layer> byName = new LinkedHashMap<>();

    /**
     * @param type class name
     * @param calls names of children in the order in which they are called
     */
    public NamedSequence(String type, String... calls) {
        this.type = type;
        this.calls = List.of(calls);
    }

    /** Registers a child. */
    public NamedSequence with(String name, Layer layer) {
        byName.put(name, child(name, layer));
        return this;
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        Value x = in[0];
        for (String name : calls) {
            s.line("x = self." + name + "(x)");
            x = s.call(Objects.requireNonNull(byName.get(name), name), x);
        }
        return x;
    }
}
