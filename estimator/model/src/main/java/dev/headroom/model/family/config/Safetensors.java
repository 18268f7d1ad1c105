package dev.headroom.model.family.config;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.json.JsonTree;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The shapes of the weights in a folder's safetensors files: their headers alone are read. */
public final class Safetensors {
    private static final String ENDING = ".safetensors";
    private static final long LONGEST = 16L << 20;

    private Safetensors() {}

    /**
     * Shapes by name of all files of a folder; empty where there are none.
     *
     * @throws UserInputException for a damaged file
     */
    public static Map<String, List<Long>> shapes(Path folder) {
        Map<String, List<Long>> shapes = new LinkedHashMap<>();
        if (!Files.isDirectory(folder)) {
            return shapes;
        }
        try (Stream<Path> files = Files.list(folder)) {
            files.filter(f -> f.toString().endsWith(ENDING)).sorted().forEach(f -> read(f, shapes));
        } catch (IOException | UncheckedIOException e) {
            throw new UserInputException(folder + " cannot be read: " + e.getMessage(), e);
        }
        return shapes;
    }

    private static void read(Path file, Map<String, List<Long>> shapes) {
        JsonTree.object(new ByteArrayInputStream(header(file)), file.toString()).forEach((name, entry) -> {
            if (entry instanceof Map<?, ?> tensor && tensor.get("shape") instanceof List<?> sizes) {
                List<Long> shape = new ArrayList<>();
                sizes.forEach(size -> shape.add(size instanceof Long n ? n : -1L));
                shapes.put(name, shape);
            }
        });
    }

    private static byte[] header(Path file) {
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer length = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            fill(channel, length);
            long bytes = length.remaining() < Long.BYTES ? -1 : length.getLong();
            if (bytes < 2 || bytes > LONGEST || bytes > channel.size() - Long.BYTES) {
                throw new UserInputException(file + " is no safetensors file, or cut off; download it again");
            }
            ByteBuffer text = ByteBuffer.allocate((int) bytes);
            fill(channel, text);
            return text.array();
        } catch (IOException e) {
            throw new UserInputException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static void fill(FileChannel channel, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
            // on to the end
        }
        buffer.flip();
    }
}
