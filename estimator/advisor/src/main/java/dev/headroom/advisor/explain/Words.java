package dev.headroom.advisor.explain;

import dev.headroom.advisor.change.Modules;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.timeline.LiveTensor;
import dev.headroom.model.units.Decimals;
import dev.headroom.model.units.Mib;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Names and numbers as sentences write them. */
final class Words {
    private static final String ATEN = "aten.";
    private static final long KIB = 1024;

    private Words() {}

    /** {@code 97.66 MiB}, in the units of PyTorch's messages (c10/cuda/CUDACachingAllocator.cpp, format_size). */
    static String size(long bytes) {
        if (Math.abs(bytes) < KIB) {
            return count(bytes, "byte");
        }
        return Math.abs(bytes) < KIB * KIB ? Decimals.fixed(bytes / (double) KIB, 2) + " KiB" : Mib.text(bytes);
    }

    /** {@code +97.66 MiB} or {@code -97.66 MiB}. */
    static String change(long bytes) {
        return (bytes < 0 ? "-" : "+") + size(Math.abs(bytes));
    }

    /** {@code 42 %}. */
    static String share(long part, long whole) {
        return Decimals.fixed(whole == 0 ? 0.0 : 100.0 * part / whole, 0) + " %";
    }

    static String category(Category c) {
        return c.key().replace('_', ' ');
    }

    /** {@code conv2d}, in a backward pass {@code ConvolutionBackward0}. */
    static String maker(Attribution a) {
        return maker(a, !a.operator().equals(ModelTensors.PARAMETER));
    }

    /** @param node whether the node is named in a backward pass */
    static String maker(Attribution a, boolean node) {
        if (node && !a.node().isEmpty()) {
            return a.node();
        }
        String operator = a.operator().startsWith(ATEN) ? a.operator().substring(ATEN.length()) : a.operator();
        return switch (operator) {
            case "" -> "the loop";
            case "loss", "optimizer" -> "the " + operator;
            case ModelTensors.PARAMETER -> "the move to the device";
            default -> operator;
        };
    }

    /** {@code conv2d of layer1.0.conv1}, or {@code ConvolutionBackward0 (conv2d of layer1.0.conv1)}. */
    static String place(Attribution a) {
        String forward = maker(a, false) + (a.module().isEmpty() ? "" : " of " + module(a.module()));
        return a.node().isEmpty() ? forward : a.node() + " (" + forward + ")";
    }

    /** A module's path; a bare number would not be understood. */
    static String module(String path) {
        return path.chars().allMatch(Character::isDigit) ? "module " + path : path;
    }

    /** {@code float32[64, 256, 56, 56]}. */
    static String tensor(LiveTensor t) {
        return t.dtype().torchName() + Arrays.toString(t.sizes());
    }

    /** {@code 1 tensor}, {@code 3 tensors}. */
    static String count(long n, String one) {
        return n == 1 ? "1 " + one : String.format(Locale.ROOT, "%,d %ss", n, one);
    }

    /** {@code a, b and c}. */
    static String list(List<String> words) {
        int last = words.size() - 1;
        return last < 1
                ? String.join("", words)
                : String.join(", ", words.subList(0, last)) + " and " + words.get(last);
    }

    /**
     * The family of a module: numbered ones count as one, so that {@code transformer.h.3.attn} belongs to
     * {@code transformer.h.*}.
     */
    static String family(String module) {
        return Modules.numbered(module).orElseGet(() -> module.isEmpty() ? module : module(module));
    }
}
