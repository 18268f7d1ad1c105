package dev.headroom.model.family.seq2seq;

import dev.headroom.model.dsl.Value;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a stack of T5 hands to its blocks besides the hidden states, and what they leave behind. */
final class T5Pass {
    /** What one kind of attention is given: its mask and the bias that the first block made. */
    static final class Sight {
        private Optional<Value> mask = Optional.empty();
        private @Nullable Value bias;

        void mask(Optional<Value> given) {
            mask = given;
        }

        void bias(Value made) {
            bias = made;
        }

        Optional<Value> mask() {
            return mask;
        }

        @Nullable
        Value bias() {
            return bias;
        }
    }

    private final Sight own = new Sight();
    private final Sight encoder = new Sight();
    private @Nullable Value states;

    /** What the encoder made; {@code null} in the encoder. */
    @Nullable
    Value states() {
        return states;
    }

    void states(Value made) {
        states = made;
    }

    /** Of the tokens themselves. */
    Sight own() {
        return own;
    }

    /** Of the encoder's. */
    Sight encoder() {
        return encoder;
    }
}
