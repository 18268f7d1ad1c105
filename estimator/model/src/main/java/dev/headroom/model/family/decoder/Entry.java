package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import org.jspecify.annotations.Nullable;

/**
 * What a decoder does with its embedded tokens before its first layer.
 *
 * @param scale they are multiplied by it; {@code null} for not at all
 * @param late whether that is done once the masks are made
 * @param dropout they are dropped with it by a function, under another name; {@code null} for not at all
 * @param module drops them, under the same name; {@code null} for none
 */
public record Entry(
        @Nullable Double scale,
        boolean late,
        @Nullable Double dropout,
        @Nullable Layer module) {
    /** Nothing. */
    public static final Entry PLAIN = new Entry(null, false, null, null);

    /** Multiplied by a number. */
    public static Entry scaled(double by) {
        return new Entry(by, false, null, null);
    }

    /** Multiplied by a number once the masks are made. */
    public static Entry scaledLate(double by) {
        return new Entry(by, true, null, null);
    }

    /** Dropped by a function. */
    public static Entry dropped(double p) {
        return new Entry(null, false, p, null);
    }

    /** Dropped by a module, as by decoders whose last norm comes after it. */
    public static Entry dropping(double p) {
        return new Entry(null, false, null, Layers.dropout(p));
    }

    /** Before the masks. */
    Value before(Scope s, Value embedded) {
        return late ? embedded : scaled(s, embedded);
    }

    private Value scaled(Scope s, Value embedded) {
        if (scale == null) {
            return embedded;
        }
        s.line("embedded = embedded * self.embedding_multiplier");
        return s.op("aten.mul.Tensor", "self", embedded, "other", scale);
    }

    /** After them. */
    Value after(Scope s, Value embedded) {
        if (module != null) {
            s.line("embedded = self.embed_dropout(embedded)");
            return s.call(module, embedded);
        }
        if (dropout == null) {
            return late ? scaled(s, embedded) : embedded;
        }
        s.line("x = nn.functional.dropout(embedded, p=self.embedding_dropout, training=self.training)");
        return s.op("aten.dropout.default", "input", embedded, "p", dropout, "train", s.training());
    }
}
