package dev.headroom.app.serve;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ShippedConfigs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The models that requests may name: those that ship, those of the folder that the service offers, and uploaded files
 * by the sums of their bytes. No request names a file of this machine.
 */
final class Store implements AutoCloseable {
    /** How an uploaded file is named. */
    private static final Pattern UPLOADED = Pattern.compile("upload-[0-9a-f]{32}");

    private final Path folder;
    private final @Nullable Path offered;
    private final long most;
    private long bytes;
    /** Sizes, the one that was not used for longest first. */
    private final Map<String, Long> uploads = new LinkedHashMap<>(16, 0.75f, true);

    Store(Limits limits) throws IOException {
        folder = Files.createTempDirectory("headroom-serve");
        offered = limits.models();
        most = limits.stored();
    }

    /**
     * Keeps an uploaded file; the same bytes have the same name.
     *
     * @param config whether it is a {@code config.json}
     */
    synchronized String put(byte[] file, boolean config) {
        String name = "upload-" + sum(file);
        if (uploads.get(name) != null) {
            return name;
        }
        try {
            Path place = Files.createDirectories(folder.resolve(name));
            Files.write(place.resolve(config ? "config.json" : "model.pt2"), file);
            uploads.put(name, (long) file.length);
            bytes += file.length;
            while (bytes > most && uploads.size() > 1) {
                forget(uploads.keySet().iterator().next());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return name;
    }

    /** Drops an uploaded file. */
    synchronized void forget(String name) throws IOException {
        Long size = uploads.remove(name);
        if (size != null) {
            bytes -= size;
            for (String file : List.of("config.json", "model.pt2", "")) {
                Files.deleteIfExists(folder.resolve(name).resolve(file));
            }
        }
    }

    /**
     * What the importers are given for a name.
     *
     * @throws Refused with 404 for a name that is not known here
     */
    synchronized Path path(String name) {
        if (UPLOADED.matcher(name).matches()) {
            if (uploads.get(name) == null) {
                throw new Refused(404, "model: " + name + " is not here any more; upload it again");
            }
            Path archive = folder.resolve(name).resolve("model.pt2");
            return Files.exists(archive) ? archive : folder.resolve(name);
        }
        if (offered != null && offeredNames().contains(name)) {
            return offered.resolve(name);
        }
        if (ShippedConfigs.has(name)) {
            return Path.of(name);
        }
        throw new Refused(
                404,
                "model: '" + name + "' is not known here; GET /v1/models lists names, POST /v1/models"
                        + " takes an archive or a config.json");
    }

    /** The files of the offered folder, by name. */
    List<String> offeredNames() {
        if (offered == null) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(offered)) {
            return files.filter(file -> file.toString().endsWith(".pt2") || Files.exists(file.resolve("config.json")))
                    .map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UserInputException("--models: " + offered + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static String sum(byte[] file) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(file);
            return HexFormat.of().formatHex(sum, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        for (String name : List.copyOf(uploads.keySet())) {
            forget(name);
        }
        Files.deleteIfExists(folder);
    }
}
