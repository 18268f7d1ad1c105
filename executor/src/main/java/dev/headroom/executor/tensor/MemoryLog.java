package dev.headroom.executor.tensor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Who holds how much memory, now and when allocated memory was highest. It keeps one account for each owner, however
 * long a run lasts; every single change only on request.
 */
public final class MemoryLog {
    /**
     * What an owner holds, in bytes.
     *
     * @param requested as operators asked
     * @param rounded in blocks, as the allocator counts
     */
    public record Share(Owner owner, long requested, long rounded) {}

    /**
     * A change.
     *
     * @param storage number of the storage, counted from 0
     * @param bytes of its block, rounded as the allocator rounds; negative when it is freed
     */
    public record Change(long storage, long bytes, Owner owner) {}

    /**
     * Workspaces of one name.
     *
     * @param most bytes that they held together at any time so far
     */
    public record Workspace(String name, long most) {}

    private static final class Total {
        private long now;
        private long most;
    }

    /** One owner's balance, and how it changed since allocated memory was last at a new peak. */
    static final class Account {
        private final Owner owner;
        /** Of all workspaces of the name, {@code null} for other memory. */
        private final @Nullable Total workspaces;

        private long requested;
        private long rounded;
        private long requestedSince;
        private long roundedSince;
        private long peak = -1;

        private Account(Owner owner, @Nullable Total workspaces) {
            this.owner = owner;
            this.workspaces = workspaces;
        }
    }

    private final Map<Owner, Account> accounts = new HashMap<>();
    private final Map<String, Total> workspaces = new TreeMap<>();
    private Account latest = new Account(new Owner("", ""), null);
    private @Nullable List<Change> changes;
    private long storages;
    private int alive;
    private long allocated;
    private long highest;
    /** Counts the new peaks; an account that has not moved since has nothing to take back. */
    private long peaks;

    /** From now on every change is kept as well, for as long as the run lasts. */
    public void keepChanges() {
        changes = new ArrayList<>();
    }

    /** In the order in which they happened, since {@link #keepChanges}; none without it. */
    public List<Change> changes() {
        return changes == null ? List.of() : changes;
    }

    /** Storages with memory that are alive. */
    public int alive() {
        return alive;
    }

    /** What every owner holds that holds anything. */
    public List<Share> now() {
        return shares(false);
    }

    /** What every owner held that held anything when allocated memory was first at its highest. */
    public List<Share> atPeak() {
        return shares(true);
    }

    /** All workspaces that there were, by name. */
    public List<Workspace> workspaces() {
        return workspaces.entrySet().stream()
                .map(e -> new Workspace(e.getKey(), e.getValue().most))
                .toList();
    }

    private List<Share> shares(boolean back) {
        List<Share> out = new ArrayList<>();
        for (Account a : accounts.values()) {
            boolean moved = back && a.peak == peaks;
            long rounded = a.rounded - (moved ? a.roundedSince : 0);
            if (rounded > 0) {
                out.add(new Share(a.owner, a.requested - (moved ? a.requestedSince : 0), rounded));
            }
        }
        return out;
    }

    /** @return the number of the storage */
    long allocated(long requested, long rounded, Account account) {
        change(account, requested, rounded);
        alive++;
        long number = storages++;
        note(number, rounded, account);
        if (allocated > highest) {
            highest = allocated;
            peaks++;
        }
        return number;
    }

    void freed(long number, long requested, long rounded, Account account) {
        change(account, -requested, -rounded);
        alive--;
        note(number, -rounded, account);
    }

    /** The account that is charged for an owner's memory. */
    @SuppressWarnings("ReferenceEquality") // a shortcut for the same object; equal ones are found in the map
    Account account(Owner owner) {
        if (latest.owner != owner) {
            latest = accounts.computeIfAbsent(owner, this::open);
        }
        return latest;
    }

    private Account open(Owner owner) {
        Total total = owner.isWorkspace() ? workspaces.computeIfAbsent(owner.operator(), n -> new Total()) : null;
        return new Account(owner, total);
    }

    private void change(Account a, long requested, long rounded) {
        if (a.peak != peaks) {
            a.peak = peaks;
            a.requestedSince = 0;
            a.roundedSince = 0;
        }
        a.requested += requested;
        a.rounded += rounded;
        a.requestedSince += requested;
        a.roundedSince += rounded;
        if (a.workspaces != null) {
            a.workspaces.now += rounded;
            a.workspaces.most = Math.max(a.workspaces.most, a.workspaces.now);
        }
        allocated += rounded;
    }

    private void note(long number, long bytes, Account account) {
        if (changes != null) {
            changes.add(new Change(number, bytes, account.owner));
        }
    }
}
