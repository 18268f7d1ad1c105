package dev.headroom.estimator.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** A log says what was told to it, on whatever page it is. */
class EventLogTest {
    @Property(tries = 20)
    void saysWhatItWasTold(
            @ForAll @IntRange(max = 10_000) int storages, @ForAll @IntRange(min = 1, max = 7) int lives) {
        EventLog log = new EventLog();
        List<Integer> told = new ArrayList<>();
        for (int i = 0; i < storages; i++) {
            assertEquals(
                    i,
                    log.add(i, 512L * i, i + 1, Category.SAVED_ACTIVATIONS, DType.BFLOAT16, new long[] {i}, 3, 7L * i));
            told.add(i);
            if (i >= lives) {
                log.free(i - lives, i, 7L * i + 1);
                told.add(~(i - lives));
            }
        }
        assertEquals(storages, log.storages());
        assertEquals(told.size(), log.size());
        assertEquals(Math.min(storages, lives), log.alive());
        for (int event = 0; event < log.size(); event++) {
            boolean free = told.get(event) < 0;
            int storage = free ? ~told.get(event) : told.get(event);
            int last = free ? storage + lives : storage;
            assertEquals(storage, log.storage(event));
            assertEquals(free, log.isFree(event));
            assertEquals(free ? last : last + 1, log.running(event));
            assertEquals(7L * last + (free ? 1 : 0), log.reserved(event));
            if (free) {
                assertNull(log.category(event));
            } else {
                assertEquals(Category.SAVED_ACTIVATIONS, log.category(event));
                assertEquals(storage, log.requested(storage));
                assertEquals(512L * storage, log.rounded(storage));
                assertEquals(storage + 1, log.attribution(storage));
                assertEquals(3, log.stream(storage));
                assertEquals(DType.BFLOAT16, log.dtype(storage));
                assertArrayEquals(new long[] {storage}, log.sizes(storage));
            }
        }
        assertEquals(told, replayed(log));
    }

    @Property(tries = 5)
    void onAnotherAllocatorOnlyItsBytesDiffer(@ForAll @IntRange(min = 1, max = 9000) int storages) {
        EventLog log = new EventLog();
        long[] rounded = new long[storages];
        long[] reserved = new long[storages];
        for (int i = 0; i < storages; i++) {
            log.add(i, i, 0, Category.PARAMETERS, DType.FLOAT32, new long[0], 0, i);
            rounded[i] = 2L * i;
            reserved[i] = 3L * i;
        }
        EventLog other = log.on(rounded, reserved);
        assertEquals(replayed(log), replayed(other));
        for (int i = 0; i < storages; i++) {
            assertEquals(i, other.requested(i));
            assertEquals(2L * i, other.rounded(i));
            assertEquals(3L * i, other.reserved(i));
            assertEquals(i, log.rounded(i));
            assertEquals(i, log.reserved(i));
        }
    }

    @Property(tries = 5)
    void aCategoryChangesOnAnyPage(@ForAll @IntRange(min = 1, max = 9000) int storages) {
        EventLog log = new EventLog();
        for (int i = 0; i < storages; i++) {
            log.add(1, 512, 0, Category.TEMPORARIES, DType.FLOAT32, new long[0], 0, 0);
        }
        log.category(storages - 1, Category.GRADIENTS, 0, 0);
        assertEquals(Category.GRADIENTS, log.aliveAfter(log.size())[storages - 1]);
        assertEquals(Category.TEMPORARIES, log.aliveAfter(storages)[storages - 1]);
        log.spare(storages - 1);
        assertTrue(log.isSpared(storages - 1));
    }

    private static List<Integer> replayed(EventLog log) {
        List<Integer> events = new ArrayList<>();
        log.replay(log.size(), new EventLog.Visitor() {
            @Override
            public void allocated(int storage) {
                events.add(storage);
            }

            @Override
            public void freed(int storage) {
                events.add(~storage);
            }
        });
        return events;
    }
}
