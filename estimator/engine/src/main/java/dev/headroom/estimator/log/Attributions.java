package dev.headroom.estimator.log;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.util.ArrayList;
import java.util.List;

/** Who may make an allocation, each with a number, and which of them runs now. */
public final class Attributions {
    private final Object2IntOpenHashMap<Attribution> numbers = new Object2IntOpenHashMap<>();
    private final List<Attribution> all = new ArrayList<>();
    private final Object2IntOpenHashMap<String> nodes = new Object2IntOpenHashMap<>();

    /** By number of the operator, then of the node's name: the number of what a node does on behalf of the operator. */
    private final Long2IntOpenHashMap ofNodes = new Long2IntOpenHashMap();

    private int running;

    public Attributions() {
        nodes.defaultReturnValue(-1);
        ofNodes.defaultReturnValue(-1);
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

    /** Of an autograd node that was recorded for an operator. */
    public int number(int recorded, String node) {
        int name = nodes.getInt(node);
        if (name < 0) {
            name = nodes.size();
            nodes.put(node, name);
        }
        long key = (long) recorded << Integer.SIZE | name;
        int n = ofNodes.get(key);
        if (n < 0) {
            Attribution by = all.get(recorded);
            n = number(new Attribution(by.module(), by.operator(), node));
            ofNodes.put(key, n);
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
