package dev.headroom.executor.cuda;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Tests that run on both backends, which are opened once for a class. */
public abstract class OnBothBackends {
    public static BothBackends both;

    @BeforeAll
    static void open() {
        both = new BothBackends();
    }

    @AfterAll
    static void close() {
        if (both != null) {
            both.close();
            both = null;
        }
    }
}
