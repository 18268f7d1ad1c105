package dev.headroom.model.family.experts;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.decoder.Request;

/** Experts one after another (the {@code forward} of their classes). */
final class EagerExperts {
    EagerExperts(Scope s, ExpertsShape shape, Experts experts, Request request) {}

    Value write(Value... in) {
        throw new UserInputException("--experts eager");
    }
}
