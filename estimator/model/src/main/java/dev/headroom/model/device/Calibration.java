package dev.headroom.model.device;

import dev.headroom.model.error.UserInputException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * What was measured on this machine, in a file of the user: {@code $XDG_CONFIG_HOME/headroom/devices.csv}, or
 * {@code ~/.config/headroom/devices.csv}. It has the lines of {@code overheads.csv}. Predictions of lazily loading
 * versions for a card that stands in it take its figures.
 */
public final class Calibration {
    private static final String HEADER =
            "# What 'headroom devices' measured here: part,loading,card,low,likely,high,source; bytes.";

    private Calibration() {}

    /** The user's file, whether it exists or not. */
    public static Path file() {
        String config = System.getenv("XDG_CONFIG_HOME");
        Path folder = config == null || config.isBlank()
                ? Path.of(System.getProperty("user.home"), ".config")
                : Path.of(config);
        return folder.resolve("headroom").resolve("devices.csv");
    }

    /** The user's lines, read once a process. */
    static List<Overhead> installed() {
        return Installed.LINES.get();
    }

    /**
     * The lines of a file.
     *
     * @throws UserInputException when it cannot be read
     */
    static List<Overhead> read(Path file) {
        if (!Files.isRegularFile(file)) {
            return List.of();
        }
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            return DeviceLines.read(lines);
        } catch (IOException | IllegalArgumentException e) {
            throw new UserInputException(
                    file + ": cannot be read as a calibration (" + e.getMessage()
                            + "); remove it, or write it anew with '`devices_calibrate`'",
                    e);
        }
    }

    /**
     * Replaces a card's lines in a file and leaves those of other cards.
     *
     * @param measured of this card: exact lines
     * @throws UserInputException when the file cannot be written
     */
    public static void write(Path file, Gpu gpu, List<DeviceLine> measured) {
        List<String> text = new ArrayList<>(List.of(HEADER));
        for (Overhead o : read(file)) {
            if (!o.card().equals(gpu.name())) {
                text.add(String.join(
                        ",", o.part(), o.loading(), o.card(), "" + o.low(), o.likely(), "" + o.high(), o.source()));
            }
        }
        for (DeviceLine d : measured) {
            text.add(String.join(
                    ",", d.part(), "lazy", gpu.name(), "" + d.low(), "" + d.bytes(), "" + d.high(), d.source()));
        }
        try {
            Files.createDirectories(file.getParent());
            Path beside = Files.createTempFile(file.getParent(), "devices", ".csv");
            try {
                Files.write(beside, text, StandardCharsets.UTF_8);
                Files.move(beside, file, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(beside);
            }
        } catch (IOException e) {
            throw new UserInputException(file + ": cannot be written (" + e.getMessage() + ")", e);
        }
    }

    private static final class Installed {
        /** Kept as a way to fail: a class that cannot be initialised would not say why the second time. */
        private static final Supplier<List<Overhead>> LINES = load();

        private static Supplier<List<Overhead>> load() {
            try {
                List<Overhead> lines = read(file());
                return () -> lines;
            } catch (UserInputException e) {
                return () -> {
                    throw e;
                };
            }
        }
    }
}
