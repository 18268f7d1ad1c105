package dev.headroom.allocator;

import dev.headroom.allocator.PoolSums.Counter;
import it.unimi.dsi.fastutil.ints.Int2ObjectRBTreeMap;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/** Private pools and the scopes that send requests to them (c10's graph_pools and allocation_scopes_). */
final class PrivatePools {
    private record Scope(PoolOwner pool, IntPredicate streams) {}

    private final AllocatorCore core;
    private final CacheRelease release;
    private final PoolOwner everybody;
    private final Int2ObjectRBTreeMap<PoolOwner> pools = new Int2ObjectRBTreeMap<>();
    private final List<Scope> scopes = new ArrayList<>();

    PrivatePools(AllocatorCore core, CacheRelease release) {
        this.core = core;
        this.release = release;
        this.everybody = core.everybody;
    }

    boolean isEmpty() {
        return pools.isEmpty();
    }

    /** Who serves the requests of a stream: the pool of the innermost scope that takes it, or the default memory. */
    PoolOwner of(int stream) {
        return scopes.isEmpty() ? everybody : innermost(stream);
    }

    private PoolOwner innermost(int stream) {
        for (int i = scopes.size() - 1; i >= 0; i--) {
            if (scopes.get(i).streams().test(stream)) {
                return scopes.get(i).pool();
            }
        }
        return everybody;
    }

    void createOrUse(int id) {
        PoolOwner pool = pools.get(id);
        if (pool == null) {
            core.interventions++;
            StatArray reserved =
                    core.stats.reservedByPool.computeIfAbsent(id, i -> new StatArray(Counter.RESERVED_BYTES));
            pools.put(id, new PoolOwner(id, core.table, core.stats, reserved));
        } else if (pool.uses == 0) {
            throw new IllegalArgumentException("private pool " + id + " was released: use another id");
        } else {
            pool.uses++;
        }
    }

    void begin(int id, IntPredicate streams) {
        for (Scope scope : scopes) {
            if (scope.pool().id == id) {
                throw new IllegalArgumentException("beginAllocateToPool: already recording to private pool " + id);
            }
        }
        createOrUse(id);
        scopes.add(new Scope(pools.get(id), streams));
    }

    void end(int id) {
        if (!scopes.removeIf(scope -> scope.pool().id == id)) {
            throw new IllegalArgumentException("endAllocateToPool: not currently recording to private pool " + id);
        }
    }

    void release(int id) {
        PoolOwner pool = get(id);
        if (pool.uses == 0) {
            throw new IllegalArgumentException("private pool " + id + " was released more often than used");
        }
        if (--pool.uses == 0) {
            pool.splits = true;
        }
    }

    PoolOwner get(int id) {
        PoolOwner pool = pools.get(id);
        if (pool == null) {
            throw new IllegalArgumentException("there is no private pool " + id);
        }
        return pool;
    }

    /** Pools that offered their free blocks to requests that would fail otherwise. */
    List<PoolOwner> usableOnOutOfMemory() {
        List<PoolOwner> usable = new ArrayList<>(pools.values());
        usable.removeIf(pool -> !pool.useOnOutOfMemory);
        return usable;
    }

    boolean isUnused(int id) {
        PoolOwner pool = pools.get(id);
        return pool != null && pool.uses == 0;
    }

    /** Returns the memory of all pools without users. */
    void releaseUnused() {
        for (int id : pools.keySet().toIntArray()) {
            if (isUnused(id)) {
                releaseUnused(id);
            }
        }
    }

    /** Returns the memory of a pool without users, and forgets it when it is empty. */
    void releaseUnused(int id) {
        PoolOwner pool = pools.get(id);
        release.releaseAll(pool.small);
        release.releaseAll(pool.large);
        if (pool.segments == 0) {
            pools.remove(id);
        }
    }
}
