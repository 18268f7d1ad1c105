package dev.headroom.validation.generate;

import dev.headroom.estimator.predict.Simulation;
import java.nio.file.Path;
import java.util.List;

/** {@code CompareCases FILE}: holds simulations against recorded cases, event by event where there is a trace. */
public final class CompareCases {
    private CompareCases() {}

    public static void main(String[] args) {
        if (args.length != 1) {
            System.err.println("usage: CompareCases RECORDED.jsonl.gz");
            System.exit(2);
        }
        int equal = 0;
        int failed = 0;
        List<RecordedCase> cases = RecordedCase.read(Path.of(args[0]));
        for (int i = 0; i < cases.size(); i++) {
            RecordedCase c = cases.get(i);
            if (!c.error().isEmpty()) {
                failed++;
                continue;
            }
            Simulation simulated = c.simulate();
            String difference = c.difference(simulated);
            if (difference == null) {
                equal++;
            } else {
                System.out.println("case " + i + ": " + c.asked());
                System.out.println(difference);
                if (!c.trace().isMissingNode()) {
                    System.out.print(EventLists.of(c, simulated).report());
                }
            }
        }
        System.out.println(equal + " of " + cases.size() + " equal, " + failed + " not recorded");
    }
}
