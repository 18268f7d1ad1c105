package dev.headroom.estimator.loop;

import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.program.NodeRuns;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.repeat.Memory;
import dev.headroom.estimator.repeat.Renaming;
import dev.headroom.model.run.Moment;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A step, or a pass of it, that was played, to be played again: how it began, what it did to memory, and what it led
 * to.
 */
final class PlayedStretch {
    private final Beginning beginning;
    private final int firstEvent;
    private final int firstStorage;
    private final NodeRuns before;
    /** Numbers of the memory that made a difference when it began. */
    private final int[] numbers;

    private final List<Moment> phases = new ArrayList<>();
    private final IntArrayList ends = new IntArrayList();
    private @Nullable Outcome outcome;
    private @Nullable Renaming names;

    /**
     * What it led to.
     *
     * @param memory that there was, the objects of which the loop goes on with
     * @param numbers of it at that time
     * @param storages of the log at that time
     */
    private record Outcome(List<Memory> memory, int[] numbers, int storages, NodeRuns after) {}

    /** One that begins now. */
    PlayedStretch(Beginning beginning, EventLog log, NodeRuns before) {
        this.beginning = beginning;
        this.firstEvent = log.size();
        this.firstStorage = log.storages();
        this.before = before;
        this.numbers = numbers(beginning);
    }

    private static int[] numbers(Beginning of) {
        List<Memory> memory = of.countedMemory();
        int[] numbers = new int[memory.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = memory.get(i).number();
        }
        return numbers;
    }

    /** A phase of it is over. */
    void ended(Moment phase, int events) {
        phases.add(phase);
        ends.add(events);
    }

    /** Whether one with this beginning does the same. */
    boolean beginsLike(Beginning other) {
        return other.isLike(beginning);
    }

    /** Whether one with this beginning, which follows it, does the same; its events are those until now. */
    boolean wouldBeRepeatedFrom(Beginning next, EventLog log) {
        if (!beginsLike(next) || ends.isEmpty() || ends.getInt(ends.size() - 1) != log.size()) {
            return false;
        }
        BitSet known = new BitSet(firstStorage);
        for (int number : numbers) {
            known.set(number);
        }
        for (int event = firstEvent; event < log.size(); event++) {
            int storage = log.storage(event);
            if (storage < firstStorage && !known.get(storage)) {
                return false;
            }
        }
        return true;
    }

    /** It led to this. */
    void led(Beginning next, EventLog log, NodeRuns after) {
        outcome = new Outcome(next.countedMemory(), numbers(next), log.storages(), after);
    }

    /** After something else it is to happen again, to the objects that there are now. */
    void comesAgain(Beginning now) {
        Outcome then = outcome();
        outcome = new Outcome(now.countedMemory(), then.numbers(), then.storages(), then.after());
    }

    private Outcome outcome() {
        return Objects.requireNonNull(outcome, "what is over");
    }

    /** What stands now in the places of what it began with; until it is asked for again. */
    Renaming names() {
        if (names == null) {
            names = new Renaming(outcome().storages());
        }
        names.begin(firstStorage);
        for (int i = 0; i < numbers.length; i++) {
            Memory present = outcome().memory().get(i);
            names.put(numbers[i], present.number(), present.block());
        }
        return names;
    }

    /** It happened again: the objects that it left are what it would leave now, in other memory. */
    void happenedAgain(Renaming names) {
        for (int i = 0; i < outcome().numbers().length; i++) {
            int number = outcome().numbers()[i];
            outcome().memory().get(i).become(names.now(number), names.block(number));
        }
    }

    int firstEvent() {
        return firstEvent;
    }

    /** How many phases it has. */
    int phases() {
        return phases.size();
    }

    Moment phase(int number) {
        return phases.get(number);
    }

    /** The event after the last one of a phase. */
    int end(int phase) {
        return ends.getInt(phase);
    }

    /** How nodes had run before it. */
    NodeRuns before() {
        return before;
    }

    /** How nodes had run after it. */
    NodeRuns after() {
        return outcome().after();
    }
}
