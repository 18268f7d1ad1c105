package dev.headroom.model.run;

import org.jspecify.annotations.Nullable;

/**
 * Where and over what a run ran out of memory.
 *
 * @param moment the phase and the step
 * @param module that asked, "" outside of any
 * @param operator that asked, or the loop's own work such as {@code optimizer}
 * @param requested bytes of the segment that the allocator asked the driver for
 * @param device number of the GPU whose memory ran out, of a process that has several; else {@code null}
 */
public record OutOfMemory(
        Moment moment,
        String module,
        String operator,
        long requested,
        @Nullable Integer device) {
    public OutOfMemory {
        moment = moment.inStep();
    }

    /** In a process with one GPU. */
    public OutOfMemory(Moment moment, String module, String operator, long requested) {
        this(moment, module, operator, requested, null);
    }

    /** The phase in which memory ran out. */
    public Phase phase() {
        return moment.phase();
    }

    /** Its step, or {@code null} before the first. */
    public @Nullable Integer step() {
        return moment.step();
    }

    /** One line for people. */
    public String text() {
        String who = module.isEmpty() ? operator : operator + " of " + module;
        String where = device == null ? "" : " on device " + device;
        return "out of memory" + where + " in " + moment.words() + ", where " + who + " needed " + requested
                + " bytes more";
    }
}
