package dev.headroom.model.family.part;

/** A part of a layer that may return another value besides its result, which the layer's variable {@code _} holds. */
public interface ReturnsMore {
    /** Whether it does. */
    boolean returnsMore();

    /** The line of Python that calls a part; names stand in the order in which their values are made. */
    static String call(Object part) {
        return call(part, "x");
    }

    /** The same with the result in a variable of another name. */
    static String call(Object part, String name) {
        String more = part instanceof ReturnsMore r && r.returnsMore() ? "_, " : "";
        return more + name + " = self.part(x)";
    }
}
