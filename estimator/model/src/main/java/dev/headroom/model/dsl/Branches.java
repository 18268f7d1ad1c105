package dev.headroom.model.dsl;

/** Runs several modules on one input and joins their results along a dimension. */
public final class Branches extends Layer {
    private final long dim;
    private final Layer[] branches;

    private Branches(long dim, Layer... branches) {
        this.dim = dim;
        this.branches = branches;
        for (int i = 0; i < branches.length; i++) {
            child(Integer.toString(i), branches[i]);
        }
    }

    /** {@code torch.cat([b(x) for b in branches], dim)}. */
    public static Branches of(long dim, Layer... branches) {
        return new Branches(dim, branches);
    }

    @Override
    protected Value forward(Scope scope, Value... inputs) {
        Value[] out = new Value[branches.length];
        for (int i = 0; i < out.length; i++) {
            scope.line("branch" + i + " = self.branch" + i + "(x)");
            out[i] = scope.call(branches[i], inputs[0]);
        }
        scope.line("return torch.cat(outputs)");
        return scope.op("aten.cat.default", Scope.arguments("tensors", out, "dim", dim));
    }
}
