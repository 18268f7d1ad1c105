package dev.headroom.advisor.explain;

import dev.headroom.estimator.log.Category;
import java.util.ArrayList;
import java.util.List;

/** What came alive and what was let go between two moments. */
final class Difference {
    private final AliveAt from;
    private final AliveAt to;
    private final List<Holding> appeared = new ArrayList<>();
    private final List<Holding> gone = new ArrayList<>();

    Difference(AliveAt from, AliveAt to) {
        this.from = from;
        this.to = to;
        for (Holding h : to.holdings()) {
            if (h.tensor().born() > from.event()) {
                appeared.add(h);
            }
        }
        for (Holding h : from.holdings()) {
            if (h.tensor().died() <= to.event()) {
                gone.add(h);
            }
        }
    }

    /** Allocated bytes more than before. */
    long bytes() {
        return to.allocated() - from.allocated();
    }

    List<Group> appeared() {
        return Group.by(appeared, Holding::label);
    }

    /** Requested bytes of what came alive and counts as something. */
    long appeared(Category c) {
        return appeared.stream()
                .filter(h -> h.category() == c)
                .mapToLong(Holding::bytes)
                .sum();
    }

    List<Holding> newcomers() {
        return appeared;
    }

    List<Group> gone() {
        return Group.by(gone, Holding::label);
    }

    /** The change of allocated bytes, by what it is. */
    Account account(String of) {
        List<Account.Part> parts = new ArrayList<>();
        appeared().forEach(g -> parts.add(new Account.Part(g.name(), g.bytes())));
        gone().forEach(g -> parts.add(new Account.Part("let go: " + g.name(), -g.bytes())));
        parts.sort((a, b) -> Long.compare(Math.abs(b.bytes()), Math.abs(a.bytes())));
        return Account.of(of, bytes(), parts);
    }
}
