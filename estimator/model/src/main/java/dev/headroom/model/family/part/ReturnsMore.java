package dev.headroom.model.family.part;

/** A part of a layer that may return another value besides its result, which the layer's variable {@code _} holds. */
public interface ReturnsMore {
    /** Whether it does. */
    boolean returnsMore();

    /** The line of Python that calls a part; names stand in the order in which their values are made. */
    static String call(Object part) {
        return part instanceof ReturnsMore more && more.returnsMore() ? "_, x = self.part(x)" : "x = self.part(x)";
    }
}
