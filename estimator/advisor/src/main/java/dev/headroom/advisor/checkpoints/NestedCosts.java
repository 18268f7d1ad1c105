package dev.headroom.advisor.checkpoints;

import java.util.List;

/**
 * What {@link StageCosts} do not tell of checkpoints in checkpoints: the moments of a segment's recomputation and
 * backward pass one by one, in bytes on top of what was left before the segment and, where said so, of what its own
 * stages left. A segment without inner ones costs what {@link StageCosts} say.
 *
 * @param flat costs of the outermost level, and by first and last stage what a checkpoint leaves and recomputes
 * @param forward bytes that a stage's forward pass needs at most
 * @param passing by first and last stage: bytes that the forward pass of a checkpoint needs at most; at the outermost
 *     level its own recomputation always needs more
 * @param backward bytes that a stage's backward pass needs at most besides what the stages up to it left; less than
 *     zero where those have been let go
 * @param leaves by first stage of the segment, and stage: bytes that the stage leaves when it keeps everything
 * @param start by first and last stage of the segment: bytes that are there when its recomputation begins, mostly
 *     gradients
 * @param besides by first and last stage of the segment: bytes that are there while it goes back, until its end
 * @param besidesLast the same, while its last stage goes back
 */
record NestedCosts(
        StageCosts flat,
        long[] forward,
        long[][] passing,
        long[] backward,
        long[][] leaves,
        long[][] start,
        long[][] besides,
        long[][] besidesLast) {

    int stages() {
        return flat.stages();
    }

    /** What a plan costs. */
    NestedSchedule evaluate(List<NestedSegment> segments) {
        long left = 0;
        long peak = flat.floor();
        int stage = 0;
        for (NestedSegment s : segments) {
            for (; stage < s.first(); stage++) {
                peak = Math.max(peak, left + flat.storedPeak()[stage]);
                left += flat.stored()[stage];
            }
            peak = Math.max(peak, left + peak(s));
            left += flat.kept()[s.first()][s.last()];
            stage = s.last() + 1;
        }
        for (; stage < stages(); stage++) {
            peak = Math.max(peak, left + flat.storedPeak()[stage]);
            left += flat.stored()[stage];
        }
        return new NestedSchedule(segments, peak, again(segments));
    }

    private long again(List<NestedSegment> segments) {
        return segments.stream()
                .mapToLong(s -> flat.again()[s.first()][s.last()] + again(s.inner()))
                .sum();
    }

    /** At most for a segment, on top of what was left before it: made again stage by stage, then gone back through. */
    long peak(NestedSegment s) {
        int i = s.first();
        int j = s.last();
        long own = 0;
        long peak = Long.MIN_VALUE;
        int next = 0;
        for (int p = i; p <= j; p++) {
            NestedSegment inner = next < s.inner().size() ? s.inner().get(next) : null;
            if (inner != null && inner.first() == p) {
                peak = Math.max(peak, start[i][j] + own + passing[p][inner.last()]);
                own += flat.kept()[p][inner.last()];
                p = inner.last();
                next++;
            } else {
                peak = Math.max(peak, start[i][j] + own + forward[p]);
                own += leaves[i][p];
            }
        }
        for (int p = j; p >= i; p--) {
            NestedSegment inner = next > 0 ? s.inner().get(next - 1) : null;
            if (inner != null && inner.last() == p) {
                own -= flat.kept()[inner.first()][p];
                peak = Math.max(peak, own + besides[i][j] + peak(inner));
                p = inner.first();
                next--;
            } else {
                peak = Math.max(peak, own + backward[p] + (p == j ? besidesLast : besides)[i][j]);
                own -= leaves[i][p];
            }
        }
        return peak;
    }
}
