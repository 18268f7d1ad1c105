package dev.headroom.model.importer;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.TensorMeta;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads {@code PayloadConfig}: what an archive says of its weights and constants, without their bytes. */
final class StateReader {
    /**
     * One tensor.
     *
     * @param record name of the file of its storage
     */
    record Payload(String record, boolean parameter, TensorMeta meta) {}

    private StateReader() {}

    /** Reads the tensors by qualified name; entries that are no tensors are left out. */
    static Map<String, Payload> read(Json json) throws IOException {
        Map<String, Payload> payloads = new LinkedHashMap<>();
        MetaReader metas = new MetaReader(json);
        for (int scope = json.object(); json.nextField(scope); ) {
            if (json.name().equals("config")) {
                for (int table = json.object(); json.nextField(table); ) {
                    String name = json.name();
                    Payload payload = payload(json, metas);
                    if (payload != null && payloads.put(name, payload) != null) {
                        throw new UserInputException("the tensor " + name + " is described twice");
                    }
                }
            }
        }
        return payloads;
    }

    private static @Nullable Payload payload(Json json, MetaReader metas) throws IOException {
        String record = "";
        boolean parameter = false;
        TensorMeta meta = null;
        for (int scope = json.object(); json.nextField(scope); ) {
            switch (json.name()) {
                case "path_name" -> record = json.string();
                case "is_param" -> parameter = json.bool();
                case "tensor_meta" -> meta = json.isNull() ? null : metas.tensor();
                default -> {}
            }
        }
        return meta == null ? null : new Payload(record, parameter, meta);
    }
}
