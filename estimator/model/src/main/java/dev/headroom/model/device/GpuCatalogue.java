package dev.headroom.model.device;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The cards that Headroom knows by name, from the resource {@code gpus.csv}. */
public final class GpuCatalogue {
    private static final String RESOURCE = "gpus.csv";
    private static final double MIB = 1 << 20;

    private GpuCatalogue() {}

    /** Every card, in the order of the file. */
    public static List<Gpu> all() {
        return Holder.CARDS;
    }

    /** Every name, in the order of the file. */
    public static List<String> names() {
        return all().stream().map(Gpu::name).toList();
    }

    /** The card of a name, upper or lower case. */
    public static Optional<Gpu> find(String name) {
        String wanted = name.strip().toLowerCase(Locale.ROOT);
        return all().stream().filter(gpu -> gpu.name().equals(wanted)).findFirst();
    }

    private static List<Gpu> read() {
        try (InputStream in = GpuCatalogue.class.getResourceAsStream(RESOURCE);
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            List<Gpu> cards = new ArrayList<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    cards.add(card(line));
                }
            }
            return List.copyOf(cards);
        } catch (IOException e) {
            throw new UncheckedIOException(RESOURCE, e);
        }
    }

    /** {@code name,title,bytes,capability,sms,l2,source}; only the source may hold commas. */
    private static Gpu card(String line) {
        String[] f = line.split(",", 7);
        String[] capability = f[3].split("\\.");
        return new Gpu(
                f[0],
                f[1],
                Long.parseLong(f[2]),
                Integer.parseInt(capability[0]),
                Integer.parseInt(capability[1]),
                Integer.parseInt(f[4]),
                Math.round(Double.parseDouble(f[5]) * MIB),
                f[6]);
    }

    /** Reads the file when a card is first asked for. */
    private static final class Holder {
        static final List<Gpu> CARDS = read();
    }
}
