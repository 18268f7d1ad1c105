package dev.headroom.model.dsl;

/** A module that returns several values; who asks for one gets the first. */
public abstract class SeveralResults extends Layer {
    @Override
    protected abstract Value[] results(Scope scope, Value... inputs);

    @Override
    protected Value forward(Scope scope, Value... inputs) {
        return results(scope, inputs)[0];
    }
}
