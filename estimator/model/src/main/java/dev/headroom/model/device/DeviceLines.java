package dev.headroom.model.device;

import dev.headroom.model.error.UserInputException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Device memory that a PyTorch process takes beside what its allocator reserves: CUDA's context and the libraries' own
 * memory. {@code memory_reserved} does not show it, nvidia-smi does. What {@code headroom devices --calibrate} measured
 * of a card comes before the published figures of {@code overheads.csv}.
 */
public final class DeviceLines {
    private static final String RESOURCE = "overheads.csv";

    private DeviceLines() {}

    /**
     * The lines of a card.
     *
     * @param lazy whether CUDA loads kernels when they are first used
     * @param cudnn whether the process uses cuDNN
     * @throws UserInputException when the calibration cannot be read
     */
    public static List<DeviceLine> of(Gpu gpu, boolean lazy, boolean cudnn) {
        return of(Calibration.installed(), gpu, lazy, cudnn);
    }

    /**
     * The lines of a card in a run on several.
     *
     * @param communicators that the process has; 0 for a run on one GPU
     */
    public static List<DeviceLine> of(Gpu gpu, boolean lazy, boolean cudnn, int communicators) {
        List<DeviceLine> lines = new ArrayList<>(of(gpu, lazy, cudnn));
        if (communicators > 0) {
            lines.add(NcclBuffers.line(gpu, communicators));
        }
        return List.copyOf(lines);
    }

    /** @param measured the lines of a calibration */
    static List<DeviceLine> of(List<Overhead> measured, Gpu gpu, boolean lazy, boolean cudnn) {
        List<Overhead> calibrated = lines(measured, gpu, lazy);
        List<Overhead> chosen = calibrated.isEmpty() ? lines(Published.ALL, gpu, lazy) : calibrated;
        return chosen.stream()
                .filter(o -> cudnn || !o.part().equals(DeviceLine.CUDNN))
                .map(o -> o.line(gpu.sms()))
                .toList();
    }

    /** What is published of kernels that are loaded when they are first used; it cannot be measured without PyTorch. */
    public static List<DeviceLine> kernels(Gpu gpu) {
        return lines(Published.ALL, gpu, true).stream()
                .filter(o -> o.part().equals(DeviceLine.LIBRARIES))
                .map(o -> o.line(gpu.sms()))
                .toList();
    }

    /** Bytes that are counted of some lines. */
    public static long bytes(List<DeviceLine> lines) {
        return lines.stream().mapToLong(DeviceLine::bytes).sum();
    }

    /** Of each part the first that fits. */
    private static List<Overhead> lines(List<Overhead> all, Gpu gpu, boolean lazy) {
        Map<String, Overhead> first = new LinkedHashMap<>();
        for (Overhead o : all) {
            if (o.fits(gpu, lazy)) {
                first.putIfAbsent(o.part(), o);
            }
        }
        return List.copyOf(first.values());
    }

    /** Lines that are neither empty nor comments. */
    static List<Overhead> read(BufferedReader lines) throws IOException {
        List<Overhead> out = new ArrayList<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (!line.isBlank() && !line.startsWith("#")) {
                out.add(Overhead.parse(line));
            }
        }
        return List.copyOf(out);
    }

    /** Reads the file when it is first needed. */
    private static final class Published {
        static final List<Overhead> ALL = read();

        private static List<Overhead> read() {
            try (InputStream in = DeviceLines.class.getResourceAsStream(RESOURCE);
                    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                return DeviceLines.read(lines);
            } catch (IOException e) {
                throw new UncheckedIOException(RESOURCE, e);
            }
        }
    }
}
