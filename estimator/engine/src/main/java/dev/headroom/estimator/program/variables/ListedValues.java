package dev.headroom.estimator.program.variables;

import dev.headroom.estimator.program.source.PythonFrame;
import java.util.List;

/** Nodes that make what a list holds. It was made before the loop that fills it, on a line without operators. */
final class ListedValues {
    private final List<List<PythonFrame>> frames;
    private final int depth;
    private int first;
    private int last;

    /** @param depth of the call that has the list */
    ListedValues(List<List<PythonFrame>> frames, int made, int depth) {
        this.frames = frames;
        this.depth = depth;
        this.first = made;
        this.last = made;
    }

    void add(int made) {
        first = Math.min(first, made);
        last = Math.max(last, made);
    }

    /** The line before the first one that runs between them, which is that of the loop. */
    int lineBefore() {
        int line = Integer.MAX_VALUE;
        for (int i = first; i <= last; i++) {
            if (frames.get(i).size() > depth) {
                line = Math.min(line, frames.get(i).get(depth).line());
            }
        }
        return line - 1;
    }
}
