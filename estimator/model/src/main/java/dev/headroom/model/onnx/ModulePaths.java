package dev.headroom.model.onnx;

import dev.headroom.model.graph.Node.ModuleCall;
import dev.headroom.model.onnx.file.OnnxFile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The modules that a node ran in, as PyTorch's exporters write them: in the metadata {@code pkg.torch.onnx.name_scopes}
 * of torch/onnx/_internal/exporter/_core.py, or in the node's name, such as {@code /layer1/layer1.0/conv1/Conv}.
 */
final class ModulePaths {
    private static final String SCOPES = "pkg.torch.onnx.name_scopes";
    private static final String TYPES = "pkg.torch.onnx.class_hierarchy";

    private static final String UNKNOWN = "torch.nn.Module";

    private List<ModuleCall> before = List.of();
    private int calls;

    /** The running modules, the model first; one that ran at the node before goes on. */
    List<ModuleCall> of(OnnxFile.Operation node) {
        Map<String, String> paths = new LinkedHashMap<>(Map.of("", UNKNOWN));
        String scopes = node.metadata().get(SCOPES);
        if (scopes != null) {
            List<String> names = quoted(scopes);
            List<String> types = quoted(node.metadata().getOrDefault(TYPES, ""));
            for (int i = 0; i < names.size() - 1; i++) {
                if (!names.get(i).startsWith("_empty_nn_module_stack")) {
                    paths.put(names.get(i), types.size() == names.size() ? types.get(i) : UNKNOWN);
                }
            }
        } else if (node.name().startsWith("/")) {
            String[] parts = node.name().split("/");
            String path = "";
            for (int i = 1; i < parts.length - 1; i++) {
                path = parts[i].startsWith(path) || path.isEmpty() ? parts[i] : path + "." + parts[i];
                paths.put(path, UNKNOWN);
            }
        }
        List<ModuleCall> stack = new ArrayList<>();
        boolean same = true;
        for (Map.Entry<String, String> module : paths.entrySet()) {
            String path = module.getKey();
            int depth = stack.size();
            same &= depth < before.size() && before.get(depth).path().equals(path);
            stack.add(same ? before.get(depth) : new ModuleCall("call" + calls++, path, module.getValue()));
        }
        before = List.copyOf(stack);
        return before;
    }

    /** The texts of a list as Python prints it. */
    private static List<String> quoted(String list) {
        List<String> out = new ArrayList<>();
        for (int at = list.indexOf('\''); at >= 0; at = list.indexOf('\'', at + 1)) {
            int end = list.indexOf('\'', at + 1);
            if (end < 0) {
                break;
            }
            out.add(list.substring(at + 1, end));
            at = end;
        }
        return out;
    }
}
