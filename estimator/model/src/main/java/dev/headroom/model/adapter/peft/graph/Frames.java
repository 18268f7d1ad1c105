package dev.headroom.model.adapter.peft.graph;

import dev.headroom.model.graph.TraceFrame;
import java.util.ArrayList;
import java.util.List;

/** The lines of Python in a stack trace, one a module call, outermost first. */
public final class Frames {
    private static final String BEGIN = "File \"";

    private Frames() {}

    /** Such a line. */
    public static String line(String file, int number, String text) {
        return BEGIN + file + "\", line " + number + ", in forward\n    " + text + "\n";
    }

    /** What of a trace stands before a module call's own line. */
    public static String before(String trace, int depth) {
        return trace.substring(0, at(trace, depth));
    }

    /** A module call's own line and those inside of it. */
    public static String from(String trace, int depth) {
        return trace.substring(at(trace, depth));
    }

    private static int at(String trace, int depth) {
        int calls = 0;
        boolean parent = false;
        for (int begin : beginnings(trace)) {
            if (!parent && calls++ == depth) {
                return begin;
            }
            // A parent class's forward has a line of its own in the same call.
            int end = trace.indexOf(BEGIN, begin + BEGIN.length());
            parent = TraceFrame.callsParent(trace.substring(begin, end < 0 ? trace.length() : end));
        }
        return trace.length();
    }

    private static List<Integer> beginnings(String trace) {
        List<Integer> out = new ArrayList<>();
        for (int at = trace.indexOf(BEGIN); at >= 0; at = trace.indexOf(BEGIN, at + BEGIN.length())) {
            out.add(at);
        }
        return out;
    }
}
