package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.ModuleList;
import java.util.ArrayList;
import java.util.List;

/** {@code CLIPEncoder}: layers, one after the other. Gives the states after each of them. */
final class ClipEncoder extends SeveralResults {
    private final List<Layer> all = new ArrayList<>();

    /** @param causal whether it is that of CLIP's model of text */
    ClipEncoder(ModelConfig c, Request request, boolean causal) {
        ModuleList list = child("layers", new ModuleList());
        for (int i = 0; i < c.size("num_hidden_layers", 12); i++) {
            all.add(list.add(new ClipLayer(c, request, causal)));
        }
    }

    @Override
    protected String type() {
        return ClipLayer.CLASS + "Encoder";
    }

    /** @param in states and, where there is one, a mask */
    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("x = encoder_layer(x)");
        Value[] made = new Value[all.size()];
        Value[] given = in.clone();
        for (int i = 0; i < made.length; i++) {
            made[i] = s.call(all.get(i), given);
            given[0] = made[i];
        }
        return made;
    }
}
