package dev.headroom.app.report;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.predict.DeviceMemory;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.units.Mib;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The peaks of a process that has several GPUs, a row each; of many, the first and the fullest. */
final class GpuTable {
    private static final int NAME = 10;
    private static final int NUMBER = 11;
    private static final int MOST = 8;

    private GpuTable() {}

    /** None for a process with one GPU. */
    static List<String> lines(Prediction p, Style style) {
        if (p.devices().isEmpty()) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        lines.add(style.strong(Columns.left("Devices", NAME)
                + Columns.right("allocated", NUMBER)
                + Columns.right("reserved", NUMBER)
                + "  mostly"));
        for (DeviceMemory d : shown(p.devices())) {
            lines.add(Columns.left("  " + d.device(), NAME)
                    + Columns.right(Mib.text(d.peak().allocated()), NUMBER)
                    + Columns.right(Mib.text(d.peak().reserved()), NUMBER)
                    + "  "
                    + style.faint(mostly(d) + " in " + d.peak().moment().words()));
        }
        int left = p.devices().size() - lines.size() + 1;
        if (left > 0) {
            lines.add(style.faint("  " + left + " more devices take less or as much: --json has them all"));
        }
        return lines;
    }

    private static List<DeviceMemory> shown(List<DeviceMemory> all) {
        if (all.size() <= MOST) {
            return all;
        }
        List<DeviceMemory> rest = new ArrayList<>(all.subList(1, all.size()));
        rest.sort(Comparator.comparing(d -> -d.peak().reserved()));
        List<DeviceMemory> out = new ArrayList<>(rest.subList(0, MOST - 2));
        out.add(all.get(0));
        out.sort(Comparator.comparing(DeviceMemory::device));
        return out;
    }

    private static String mostly(DeviceMemory d) {
        return d.atPeak().entrySet().stream()
                .max(Map.Entry.<Category, Long>comparingByValue())
                .map(e -> e.getKey().key().replace('_', ' '))
                .orElse("");
    }
}
