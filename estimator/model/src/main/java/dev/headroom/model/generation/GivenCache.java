package dev.headroom.model.generation;

/**
 * Names of keys and values in a cache that a model is given. The cache alone holds them, not the variables of the calls
 * that it is handed to: a layer that joins its own to them puts the joined ones in their place.
 */
public final class GivenCache {
    private static final String NAME = "past_key_values.";
    private static final String JOINED = "joined_past_key_values.";

    private GivenCache() {}

    /** The name of a layer's keys. */
    public static String keys(int layer) {
        return NAME + layer + ".keys";
    }

    /** The name of a layer's values. */
    public static String values(int layer) {
        return NAME + layer + ".values";
    }

    /** The name of what a layer puts in the place of one of them. */
    public static String joined(String given) {
        return JOINED + given.substring(NAME.length());
    }

    /** Whether a value is one of those that are given. */
    public static boolean gives(String value) {
        return value.startsWith(NAME);
    }

    /** Whether a value is one that a layer has put there: it stays as long as the model runs. */
    public static boolean keeps(String value) {
        return value.startsWith(JOINED);
    }
}
