package dev.headroom.model.dsl;

/** {@code nn.Sequential}: modules one after the other, children named "0", "1", … */
public final class Sequential extends Layer {
    private final Layer[] modules;

    private Sequential(Layer... modules) {
        this.modules = modules;
        for (int i = 0; i < modules.length; i++) {
            child(Integer.toString(i), modules[i]);
        }
    }

    /** A chain; the same module may occur more than once. */
    public static Sequential of(Layer... modules) {
        return new Sequential(modules);
    }

    @Override
    protected Value forward(Scope scope, Value... inputs) {
        Value x = inputs[0];
        for (Layer m : modules) {
            scope.line("input = module(input)");
            x = scope.call(m, x);
        }
        return x;
    }

    @Override
    protected String type() {
        return "torch.nn.modules.container.Sequential";
    }
}
