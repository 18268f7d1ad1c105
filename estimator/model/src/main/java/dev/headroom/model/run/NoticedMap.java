package dev.headroom.model.run;

import java.util.AbstractMap;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A map that nobody changes, and that knows whether anybody has looked into it. */
final class NoticedMap<K, V> extends AbstractMap<K, V> {
    private final Map<K, V> map;
    private volatile boolean read;

    NoticedMap(Map<K, V> map) {
        this.map = map;
    }

    boolean wasRead() {
        return read;
    }

    @Override
    public @Nullable V get(Object key) {
        read = true;
        return map.get(key);
    }

    @Override
    public boolean containsKey(Object key) {
        read = true;
        return map.containsKey(key);
    }

    @Override
    public Set<Entry<K, V>> entrySet() {
        read = true;
        return Collections.unmodifiableSet(map.entrySet());
    }
}
