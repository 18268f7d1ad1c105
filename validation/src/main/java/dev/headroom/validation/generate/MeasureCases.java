package dev.headroom.validation.generate;

import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.measure.Measurement;
import dev.headroom.executor.measure.MeasurementRequest;
import dev.headroom.executor.measure.Measurer;
import dev.headroom.executor.measure.MemoryOnlyProvider;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.run.PhaseMemory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * {@code MeasureCases RECORDED.jsonl.gz}: runs recorded cases on the executor and holds its memory against PyTorch's.
 */
public final class MeasureCases {
    private MeasureCases() {}

    public static void main(String[] args) {
        if (args.length != 1) {
            System.err.println("usage: MeasureCases RECORDED.jsonl.gz");
            System.exit(2);
        }
        int equal = 0;
        Map<String, Integer> refused = new TreeMap<>();
        List<RecordedCase> cases = RecordedCase.read(Path.of(args[0]));
        for (int i = 0; i < cases.size(); i++) {
            @Nullable String difference;
            try {
                difference = difference(cases.get(i));
            } catch (UserInputException e) {
                refused.merge(e.getMessage(), 1, Integer::sum);
                continue;
            } catch (RuntimeException e) {
                StackTraceElement[] at = e.getStackTrace();
                difference = e + (at.length > 0 ? " at " + at[0] : "");
            }
            if (difference == null) {
                equal++;
            } else {
                System.out.println("case " + i + ": " + cases.get(i).asked() + "\n" + difference);
            }
        }
        refused.forEach((why, n) -> System.out.println(n + " refused: " + why));
        System.out.println(equal + " of " + cases.size() + " equal");
    }

    /** The first phase in which the executor's memory differs from the recording, as text, or {@code null}. */
    static @Nullable String difference(RecordedCase c) {
        List<PhaseMemory> measured = measure(c.asked());
        for (int i = 0; i < c.phases().size(); i++) {
            PhaseMemory mine = i < measured.size() ? measured.get(i) : null;
            if (!c.phases().get(i).equals(mine)) {
                return "recorded " + c.phases().get(i) + "\nmeasured " + mine;
            }
        }
        return null;
    }

    private static List<PhaseMemory> measure(RandomCase c) {
        Gpu gpu = GpuCatalogue.find("h200").orElseThrow();
        try (Backend backend = new MemoryOnlyProvider().open(gpu.memory(), 0)) {
            Measurement m = Measurer.measure(
                    new MeasurementRequest(c.graph(), c.run().training().on(gpu), 1, false), backend);
            return m.phases();
        }
    }
}
