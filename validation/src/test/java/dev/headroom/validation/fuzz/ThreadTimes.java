package dev.headroom.validation.fuzz;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;

/** Processor time of every thread at one moment: an answer may come from other threads than asked. */
record ThreadTimes(Map<Long, Long> nanos) {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    static ThreadTimes now() {
        Map<Long, Long> nanos = new HashMap<>();
        for (long id : THREADS.getAllThreadIds()) {
            nanos.put(id, THREADS.getThreadCpuTime(id));
        }
        return new ThreadTimes(nanos);
    }

    /** What the busiest thread has used since: an answer on a quiet machine takes no less. */
    long longest() {
        long longest = 0;
        for (Map.Entry<Long, Long> thread : now().nanos.entrySet()) {
            longest = Math.max(longest, thread.getValue() - nanos.getOrDefault(thread.getKey(), 0L));
        }
        return longest;
    }
}
