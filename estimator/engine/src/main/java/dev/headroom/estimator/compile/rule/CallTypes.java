package dev.headroom.estimator.compile.rule;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import org.jspecify.annotations.Nullable;

/** What types calls of one graph name in a run of other types than the archive's. */
public interface CallTypes {
    /** The floating-point type of the model's parameters in the run. */
    DType run();

    /** A value has a type from now on. */
    void note(String name, DType type);

    /**
     * The type that a call means, {@code null} for the one that the archive says.
     *
     * @param self the type of the tensor that is converted, {@code null} for none
     * @param lower autocast's type, {@code null} when it is off
     */
    @Nullable
    DType at(Node node, @Nullable DType self, @Nullable DType lower);

    /** The factor of a product that the program converts to the model's type before, {@code null} for none. */
    @Nullable
    String converted(Node node);

    /** Whether autocast is off for a call outside of gradients. */
    boolean keepsOutOfAutocast(Node node);
}
