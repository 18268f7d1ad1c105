package dev.headroom.app.page;

import dev.headroom.advisor.explain.Explanation;
import dev.headroom.advisor.explain.Finding;
import dev.headroom.estimator.timeline.PlayedRun;
import java.util.List;

/**
 * A run on a page.
 *
 * @param label what sets it apart from the other runs of the page
 * @param played the run
 * @param findings why it takes what it takes; may be empty
 */
public record PageRun(String label, PlayedRun played, List<Finding> findings) {
    /** @param findings copied */
    public PageRun {
        findings = List.copyOf(findings);
    }

    /** A run with its explanation, for which several more are played. */
    public static PageRun explained(String label, PlayedRun played) {
        return new PageRun(label, played, Explanation.of(played).findings());
    }
}
