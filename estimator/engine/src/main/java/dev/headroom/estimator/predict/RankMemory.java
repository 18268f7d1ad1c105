package dev.headroom.estimator.predict;

import dev.headroom.model.device.DeviceLine;
import java.util.ArrayList;
import java.util.List;

/**
 * What ranks that are alike take, each of its own GPU, in bytes.
 *
 * @param ranks in order
 * @param peak the three peaks
 * @param lines of device memory
 */
public record RankMemory(List<Integer> ranks, Prediction.Peak peak, List<DeviceLine> lines) {
    /** Such as {@code 0,2-7}. */
    public String words() {
        List<String> runs = new ArrayList<>();
        for (int i = 0; i < ranks.size(); ) {
            int last = i;
            while (last + 1 < ranks.size() && ranks.get(last + 1) == ranks.get(last) + 1) {
                last++;
            }
            runs.add(last == i ? ranks.get(i).toString() : ranks.get(i) + "-" + ranks.get(last));
            i = last + 1;
        }
        return String.join(",", runs);
    }
}
