package dev.headroom.executor.tensor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who holds how much memory, now and when allocated memory was highest. It keeps one account for each owner, however long
 * a run lasts; every single change only on request.
 */
public final class MemoryLog {
    /**
     * What an owner holds, in bytes.
     *
     * @param requested as operators asked
     * @param rounded in blocks, as the allocator counts
     * @param highest the most of {@code rounded} that the owner held at any time so far
     */
    public record Share(Owner owner, long requested, long rounded, long highest) {}

    /**
     * A change.
     *
     * @param storage number of the storage, counted from 0
     * @param bytes of its block, rounded as the allocator rounds; negative when it is freed
     */
    public record Change(long storage, long bytes, Owner owner) {}

    /** One owner's balance, and how it changed since allocated memory was last at a new peak. */
    static final class Account {
        private final Owner owner;
        private long requested;
        private long rounded;
        private long requestedSince;
        private long roundedSince;
        private long peak = -1;
        private long highest;

        private Account(Owner owner) {
            this.owner = owner;
        }
    }

    private final Map<Owner, Account> accounts = new HashMap<>();
    private Account latest = new Account(new Owner("", ""));
    private List<Change> changes;
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

    /** What every owner has come to hold at most, now or before. */
    public List<Share> owners() {
        return accounts.values().stream()
                .map(a -> new Share(a.owner, a.requested, a.rounded, a.highest))
                .toList();
    }

    private List<Share> shares(boolean back) {
        List<Share> out = new ArrayList<>();
        for (Account a : accounts.values()) {
            boolean moved = back && a.peak == peaks;
            long rounded = a.rounded - (moved ? a.roundedSince : 0);
            if (rounded > 0) {
                out.add(new Share(a.owner, a.requested - (moved ? a.requestedSince : 0), rounded, a.highest));
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
    Account account(Owner owner) {
        if (latest.owner != owner) {
            latest = accounts.computeIfAbsent(owner, Account::new);
        }
        return latest;
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
        a.highest = Math.max(a.highest, a.rounded);
        allocated += rounded;
    }

    private void note(long number, long bytes, Account account) {
        if (changes != null) {
            changes.add(new Change(number, bytes, account.owner));
        }
    }
}
