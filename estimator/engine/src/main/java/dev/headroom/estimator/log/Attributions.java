package dev.headroom.estimator.log;

import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.util.ArrayList;
import java.util.List;

/** Who may make an allocation, each with a number, and which of them runs now. */
public final class Attributions {
    private final Object2IntOpenHashMap<Attribution> numbers = new Object2IntOpenHashMap<>();
    private final List<Attribution> all = new ArrayList<>();
    private int running;

    public Attributions() {
        running = number(new Attribution("", "", ""));
    }

    public int number(Attribution a) {
        int n = numbers.getOrDefault(a, -1);
        if (n < 0) {
            n = all.size();
            all.add(a);
            numbers.put(a, n);
        }
        return n;
    }

    public Attribution get(int number) {
        return all.get(number);
    }

    public List<Attribution> all() {
        return List.copyOf(all);
    }

    public int running() {
        return running;
    }

    public void run(int number) {
        running = number;
    }
}
