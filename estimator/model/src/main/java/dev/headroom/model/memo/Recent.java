package dev.headroom.model.memo;

import java.lang.ref.SoftReference;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last few answers to questions, as long as memory is not short: one prediction asks the same several times, and a
 * service is asked the same again. Safe for use by several threads.
 */
public final class Recent<K, V> {
    private final int most;
    private final Map<K, SoftReference<V>> known;

    /** @param most answers that are kept */
    public Recent(int most) {
        this.most = most;
        this.known = new LinkedHashMap<>(most, 0.75f, true);
    }

    /** The answer to a question; {@code null} when it is not known any more. */
    public synchronized @Nullable V find(K question) {
        SoftReference<V> reference = known.get(question);
        return reference == null ? null : reference.get();
    }

    /** Keeps an answer. */
    public synchronized void put(K question, V answer) {
        known.put(question, new SoftReference<>(answer));
        if (known.size() > most) {
            known.remove(known.keySet().iterator().next());
        }
    }
}
