package dev.headroom.model.importer;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Node.ModuleCall;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads what nodes say of themselves as text; equal texts are read and kept once. */
final class NodeMetadata {
    private static final String OPS = "torch.ops.";
    private static final String NO_MODULE = "_empty_nn_module_stack_from_metadata_hook";

    private final Map<String, List<ModuleCall>> stacks = new HashMap<>();
    private final Map<String, String> texts = new HashMap<>();

    String shared(String text) {
        String known = texts.putIfAbsent(text, text);
        return known == null ? text : known;
    }

    /** Operator and overload without PyTorch's prefix. */
    static String target(String text) {
        return text.startsWith(OPS) ? text.substring(OPS.length()) : text;
    }

    static boolean isSizeArithmetic(String target) {
        return target.startsWith("_operator.")
                || target.startsWith("aten.sym_")
                || target.startsWith("torch.sym_")
                || target.startsWith("math.")
                || target.startsWith("torch.utils._sympy.");
    }

    /**
     * Reads {@code key,path,type;key,path,type}, outermost first.
     *
     * <p>Source: torch/_export/serde/serialize.py, {@code serialize_metadata}; the key tells calls of one module apart:
     * a second call's ends in {@code @1}.
     */
    List<ModuleCall> modules(String text) {
        if (text.isEmpty()) {
            return List.of();
        }
        List<ModuleCall> known = stacks.get(text);
        if (known == null) {
            List<ModuleCall> calls = new ArrayList<>();
            for (String item : split(text, ';')) {
                ModuleCall call = call(item);
                if (!call.path().equals(NO_MODULE)) {
                    calls.add(call);
                }
            }
            known = List.copyOf(calls);
            stacks.put(text, known);
        }
        return known;
    }

    private ModuleCall call(String item) {
        List<String> parts = split(item, ',');
        if (parts.size() != 3) {
            int first = item.indexOf(',');
            int last = item.lastIndexOf(',');
            if (first == last) {
                throw new UserInputException("module stack entry \"" + item + "\" is not key,path,type");
            }
            parts = List.of(item.substring(0, first), item.substring(first + 1, last), item.substring(last + 1));
        }
        String path = shared(parts.get(1));
        return new ModuleCall(shared(path.concat(repetition(parts.get(0)))), path, shared(parts.get(2)));
    }

    /** The {@code @1} of a key: the rest is the path again or, in strict mode, a number that two names may share. */
    private static String repetition(String key) {
        int at = key.lastIndexOf('@');
        boolean counted = at >= 0 && at + 1 < key.length();
        for (int i = at + 1; counted && i < key.length(); i++) {
            counted = Character.isDigit(key.charAt(i));
        }
        return counted ? key.substring(at) : "";
    }

    /** Splits outside brackets: a class name may hold type arguments. */
    private static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        int start = 0;
        int open = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '[' || c == '(') {
                open++;
            } else if (c == ']' || c == ')') {
                open--;
            } else if (c == separator && open == 0) {
                parts.add(text.substring(start, i));
                start = i + 1;
            }
        }
        parts.add(text.substring(start));
        return parts;
    }
}
