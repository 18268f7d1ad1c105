package dev.headroom.model.compiled;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importer;
import dev.headroom.model.json.JsonTree;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** Reads what {@code torch.compile} decided about memory, as the program of {@code export-help --compile} writes it. */
public final class PlanImporter implements Importer {
    private static final int MAGIC = 0x1f;
    /** Plans name their kind, or hold the partitions, among the first things they say. */
    private static final int PEEK = 8192;

    @Override
    public String format() {
        return "plans of torch.compile (.json.gz)";
    }

    @Override
    public boolean accepts(Path file) {
        String name = String.valueOf(file.getFileName());
        if (!Files.isRegularFile(file) || !(name.endsWith(".json") || name.endsWith(".json.gz"))) {
            return false;
        }
        try (InputStream in = open(file)) {
            String start = new String(in.readNBytes(PEEK), StandardCharsets.UTF_8);
            return start.contains("\"format\"") && (start.contains("\"partitions\"") || start.contains("\"plans\""));
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public Graph read(Path file) {
        try (InputStream in = open(file)) {
            Map<String, @Nullable Object> plan = JsonTree.object(in, file.toString());
            try {
                Object program = plan.get("program");
                if (plan.get("programs") != null) {
                    return PlanPasses.ofPrograms(name(file), plan, new PlanGraphs(plan));
                }
                return program == null
                        ? PlanModel.read(name(file), plan)
                        : new PlanProgram(name(file), program, new PlanGraphs(plan)).graph();
            } catch (UserInputException e) {
                throw new UserInputException(file + ": " + e.getMessage(), e);
            }
        } catch (IOException e) {
            throw new UserInputException(file + " cannot be read (cut off or damaged?): " + e.getMessage(), e);
        }
    }

    private static InputStream open(Path file) throws IOException {
        BufferedInputStream raw = new BufferedInputStream(Files.newInputStream(file));
        raw.mark(1);
        int first = raw.read();
        raw.reset();
        return first == MAGIC ? new GZIPInputStream(raw) : raw;
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName()).replaceAll("\\.json(\\.gz)?$", "");
    }
}
