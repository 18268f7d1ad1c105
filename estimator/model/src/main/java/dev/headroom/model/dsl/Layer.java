package dev.headroom.model.dsl;

import dev.headroom.model.graph.DType;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A part of a model: parameters, buffers, children, and what it does with its inputs. Using one object in several
 * places shares its parameters, as in PyTorch.
 */
public abstract class Layer {
    /** A tensor that a module holds; of a parameter, {@code type} is the model's. */
    record Held(DType type, long[] sizes, boolean parameter, boolean persistent) {}

    /** Another module's tensor. */
    record Tie(Layer owner, String name) {}

    final Map<String, Held> held = new LinkedHashMap<>();
    final Map<String, Tie> ties = new HashMap<>();
    final Map<String, Layer> children = new LinkedHashMap<>();
    private boolean frozen;

    /** Writes the module's operators. */
    protected abstract Value forward(Scope scope, Value... inputs);

    /** Writes the operators of a module that returns several values. */
    protected Value[] results(Scope scope, Value... inputs) {
        return new Value[] {forward(scope, inputs)};
    }

    /** The class name that reports show. */
    protected String type() {
        return getClass().getName();
    }

    /** Declares a trainable parameter, float32 unless {@link Model#type} says otherwise. */
    protected final void parameter(String name, long... sizes) {
        held.put(name, new Held(DType.FLOAT32, sizes, true, true));
    }

    /** Declares a buffer; read it with {@link Scope#parameter}. */
    protected final void buffer(String name, DType type, long... sizes) {
        held.put(name, new Held(type, sizes, false, true));
    }

    /** Declares a buffer that is not part of {@code state_dict}. */
    protected final void scratch(String name, DType type, long... sizes) {
        held.put(name, new Held(type, sizes, false, false));
    }

    /** Makes a tensor of this module the one that another module has declared, which comes before it in the model. */
    public final void tie(String name, Layer owner, String ownersName) {
        ties.put(name, new Tie(owner, ownersName));
    }

    /** Declares a child. */
    protected final <M extends Layer> M child(String name, M module) {
        children.put(name, module);
        return module;
    }

    /** Makes a child the last that was declared. */
    protected final void moveLast(String name) {
        Layer module = children.remove(name);
        if (module == null) {
            throw new IllegalArgumentException("no child " + name);
        }
        children.put(name, module);
    }

    /** {@code requires_grad_(False)} for all parameters below. */
    public final Layer freeze() {
        frozen = true;
        return this;
    }

    final boolean isFrozen() {
        return frozen;
    }
}
