package dev.headroom.app.serve;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;

/** How full Java's heap was after the last collection, and what threads have allocated. */
final class HeapUse {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private long ignored;

    /** The share of the heap that was in use after the last collection of its oldest objects. */
    double share() {
        long used = used();
        return used == ignored ? 0 : (double) used / Runtime.getRuntime().maxMemory();
    }

    /** Takes no notice of what the last collection found: something was done about it. */
    void forget() {
        ignored = used();
    }

    private static long used() {
        long used = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            MemoryUsage after = pool.getCollectionUsage();
            if (pool.getType() == MemoryType.HEAP && after != null) {
                used += after.getUsed();
            }
        }
        return used;
    }

    /** Bytes that a thread has allocated so far. */
    static long allocated(Thread thread) {
        return THREADS.getThreadAllocatedBytes(thread.getId());
    }
}
