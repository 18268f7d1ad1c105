package dev.headroom.app.serve;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the service takes upon itself.
 *
 * @param body most bytes of a request's body; more is answered with 413
 * @param time a request may take from its first byte to its answer; longer is answered with 408
 * @param workers answers that are computed at once
 * @param waiting requests that may wait for a worker; more are answered with 429
 * @param stored bytes of uploaded models that are kept, the ones that were not used for longest go first
 * @param models a folder of archives and configs to offer, or {@code null}
 * @param token that every request must bring, or {@code null}
 */
record Limits(
        long body,
        Duration time,
        int workers,
        int waiting,
        long stored,
        @Nullable Path models,
        @Nullable String token) {
    static final Limits DEFAULT = new Limits(
            64L << 20, Duration.ofSeconds(30), Runtime.getRuntime().availableProcessors(), 256, 1L << 30, null, null);
}
