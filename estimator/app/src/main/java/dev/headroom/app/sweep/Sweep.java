package dev.headroom.app.sweep;

import dev.headroom.app.ask.Models;
import dev.headroom.app.option.WrittenOptions;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * Answers the rows of a sweep on several threads. Rows that differ in the card alone are a group: one thread answers
 * them one after the other, so that what they share is played once, and a shard has groups as a whole.
 */
final class Sweep {
    /** Rows whose lines go to the journal together. */
    private static final int TOGETHER = 64;

    private final Scenarios scenarios;
    private final List<IntList> groups;
    private final Models models = new Models();

    Sweep(Scenarios scenarios, Shard shard) {
        this.scenarios = scenarios;
        this.groups = groups(scenarios, shard);
    }

    /** The numbers of the rows that differ in the card alone, by group, of one shard. */
    static List<IntList> groups(Scenarios scenarios, Shard shard) {
        Map<Map<String, List<String>>, IntList> groups = new LinkedHashMap<>();
        for (int i = 0; i < scenarios.size(); i++) {
            Map<String, List<String>> shared = new LinkedHashMap<>(scenarios.row(i));
            shared.keySet().removeIf(WrittenOptions::isOfDevice);
            groups.computeIfAbsent(shared, any -> new IntArrayList()).add(i);
        }
        List<IntList> mine = new ArrayList<>();
        int number = 0;
        for (IntList group : groups.values()) {
            if (shard.has(number++)) {
                mine.add(group);
            }
        }
        return mine;
    }

    /** The numbers of all rows of this shard, in order. */
    int[] rows() {
        return groups.stream().flatMapToInt(IntList::intStream).sorted().toArray();
    }

    /** The rows that the journal lacks, a group after the other; a part has whole groups, and so many rows or more. */
    List<int[]> missing(Journal journal, int most) {
        List<int[]> parts = new ArrayList<>();
        IntArrayList part = new IntArrayList();
        for (IntList group : groups) {
            group.intStream().filter(row -> !journal.has(row)).forEach(part::add);
            if (part.size() >= most) {
                parts.add(part.toIntArray());
                part.clear();
            }
        }
        if (!part.isEmpty()) {
            parts.add(part.toIntArray());
        }
        return parts;
    }

    /**
     * Answers what the journal does not have.
     *
     * @param threads that work side by side
     * @param progress is told how many rows of this shard are done
     */
    void run(Journal journal, int threads, IntConsumer progress) {
        AtomicInteger done = new AtomicInteger();
        ThreadLocal<RowAnswers> answers = ThreadLocal.withInitial(() -> new RowAnswers(scenarios, models));
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (IntList group : groups) {
                all.add(pool.submit(() -> answer(group, answers.get(), journal, done, progress)));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted; the same command goes on from here", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException why) {
                throw why;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    private static void answer(
            IntList group, RowAnswers answers, Journal journal, AtomicInteger done, IntConsumer progress) {
        List<Integer> numbers = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        for (int number : group) {
            if (!journal.has(number)) {
                numbers.add(number);
                lines.add(answers.row(number).line());
            }
            progress.accept(done.incrementAndGet());
            if (numbers.size() == TOGETHER) {
                journal.add(numbers, lines);
                numbers.clear();
                lines.clear();
            }
        }
        if (!numbers.isEmpty()) {
            journal.add(numbers, lines);
        }
    }
}
