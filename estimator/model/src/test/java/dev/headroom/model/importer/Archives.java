package dev.headroom.model.importer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Writes small archives: a linear layer with parameter w and input x, and whatever a test changes. */
final class Archives {
    static final String PROGRAM = """
            {"graph_module": {
               "graph": {
                 "inputs": [{"as_tensor": {"name": "p_w"}}, {"as_tensor": {"name": "x"}}],
                 "outputs": [{"as_tensor": {"name": "y"}}],
                 "nodes": [{"target": "torch.ops.aten.linear.default",
                            "inputs": [{"name": "input", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
                                       {"name": "weight", "arg": {"as_tensor": {"name": "p_w"}}, "kind": 1}],
                            "outputs": [{"as_tensor": {"name": "y"}}],
                            "metadata": {"nn_module_stack": "L__self__,,m.Net"},
                            "is_hop_single_tensor_return": null, "name": "linear"}],
                 "tensor_values": {"p_w": META(3,2), "x": META(N,2), "y": META(N,3)},
                 "sym_int_values": {}, "sym_bool_values": {}, "is_single_tensor_return": false},
               "signature": {
                 "input_specs": [{"parameter": {"arg": {"name": "p_w"}, "parameter_name": "w"}},
                                 {"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
                 "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "y"}}}}]},
               "module_call_graph": [{"fqn": "", "signature": null}], "metadata": {}},
             "opset_version": {"aten": 10},
             "range_constraints": {"s0": {"min_val": 2, "max_val": 64}},
             "schema_version": {"major": 8, "minor": 99}, "torch_version": "2.99"}
            """;

    private final Map<String, byte[]> entries = new LinkedHashMap<>();
    private boolean stored;

    private Archives() {}

    static Archives empty() {
        return new Archives();
    }

    /** An archive of the program with the given text in the place of another. */
    static Archives changed(String part, String replacement) {
        if (!PROGRAM.contains(part)) {
            throw new IllegalArgumentException("the program has no " + part);
        }
        return empty().with("r/archive_format", "pt2").with("r/models/model.json", PROGRAM.replace(part, replacement));
    }

    static Archives sound() {
        return changed("torch_version", "torch_version");
    }

    Archives with(String name, String text) {
        return with(name, expand(text).getBytes(StandardCharsets.UTF_8));
    }

    Archives with(String name, byte[] bytes) {
        entries.put(name, bytes);
        return this;
    }

    Archives stored() {
        stored = true;
        return this;
    }

    Path write(Path folder) {
        Path file = folder.resolve("net.pt2");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                ZipEntry header = new ZipEntry(entry.getKey());
                if (stored) {
                    CRC32 crc = new CRC32();
                    crc.update(entry.getValue());
                    header.setMethod(ZipEntry.STORED);
                    header.setSize(entry.getValue().length);
                    header.setCrc(crc.getValue());
                }
                zip.putNextEntry(header);
                zip.write(entry.getValue());
                zip.closeEntry();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file;
    }

    /** Writes {@code META(a,b)} out as a contiguous float tensor; N is the symbol s0. */
    private static String expand(String text) {
        return text.replaceAll(
                        "META\\((\\w+),(\\w+)\\)",
                        "{\"dtype\": 7, \"sizes\": [INT($1), INT($2)], \"requires_grad\": false,"
                                + " \"device\": {\"type\": \"meta\", \"index\": null}, \"strides\": [INT($2), INT(1)],"
                                + " \"storage_offset\": INT(0), \"layout\": 7}")
                .replace(
                        "INT(N)",
                        "{\"as_expr\": {\"expr_str\": \"Symbol('s0', positive=True, integer=True)\","
                                + " \"hint\": {\"as_int\": 4}}}")
                .replaceAll("INT\\((-?\\w+)\\)", "{\"as_int\": $1}");
    }
}
