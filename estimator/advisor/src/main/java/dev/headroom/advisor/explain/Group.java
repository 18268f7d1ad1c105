package dev.headroom.advisor.explain;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Tensors that have something in common. */
record Group(String name, List<Holding> members) {
    /** Sentences leave out what is less than a fiftieth. */
    private static final int FINEST = 50;

    long bytes() {
        return members.stream().mapToLong(Holding::bytes).sum();
    }

    int size() {
        return members.size();
    }

    /** Largest first. */
    static List<Group> by(List<Holding> holdings, Function<Holding, String> name) {
        Map<String, List<Holding>> groups = new LinkedHashMap<>();
        holdings.forEach(h ->
                groups.computeIfAbsent(name.apply(h), k -> new ArrayList<>()).add(h));
        List<Group> all = new ArrayList<>();
        groups.forEach((n, members) -> all.add(new Group(n, members)));
        all.sort(Comparator.comparingLong(Group::bytes).reversed());
        return all;
    }

    /** The first few that are not too small to mention. */
    static List<Group> largest(List<Group> groups, int most) {
        long all = groups.stream().mapToLong(Group::bytes).sum();
        return groups.stream()
                .limit(most)
                .filter(g -> g.bytes() * FINEST >= all)
                .toList();
    }

    /** {@code conv2d 1.20 GiB (53 tensors)}. */
    String sized() {
        return name + " " + Words.size(bytes()) + (size() == 1 ? "" : " (" + Words.count(size(), "tensor") + ")");
    }
}
