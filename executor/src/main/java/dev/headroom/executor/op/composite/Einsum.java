package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Dimensions;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * {@code einsum} (aten/src/ATen/native/Linear.cpp): operands are permuted to common dimensions, and contracted pair by
 * pair by sumproduct_pair, which ends in a batched product.
 */
public final class Einsum {
    private static final String ELLIPSIS = "...";

    /** Labels of dimensions without letters. */
    private static final String DIMENSIONS = "0123456789";

    private Einsum() {}

    public static void register(Operators o) {
        Calls.add(o, "aten.einsum", Einsum::einsum);
    }

    private static Tensor einsum(Calls c, Arguments a) {
        String equation = a.text("equation", "").replace(" ", "");
        Tensor[] operands = a.tensors("tensors");
        if (a.has("path")) {
            throw new UserInputException("einsum: the executor takes no path (" + equation + ")");
        }
        String[] sides = equation.split("->", -1);
        String[] inputs = sides[0].split(",", -1);
        String spared = spared(inputs, operands);
        String result =
                sides.length > 1 ? sides[1].replace(ELLIPSIS, spared) : spared + implicit(sides[0].split(",", -1));
        // Dimensions of the result come first, those that are summed behind them, in alphabetical order.
        StringBuilder labels = new StringBuilder(result);
        Map<Character, Integer> last = new TreeMap<>();
        for (int i = 0; i < inputs.length; i++) {
            for (int k = 0; k < inputs[i].length(); k++) {
                last.put(inputs[i].charAt(k), i);
            }
        }
        last.keySet().stream()
                .filter(l -> result.indexOf(l) < 0)
                .sorted(Einsum::upperFirst)
                .forEach(labels::append);
        List<Tensor> aligned = new ArrayList<>();
        for (int i = 0; i < inputs.length; i++) {
            aligned.add(aligned(c, inputs[i], labels.toString(), operands[i]));
        }
        Tensor out = aligned.get(0);
        out = summed(c, out, alone(labels, result.length(), last, 0));
        for (int i = 1; i < aligned.size(); i++) {
            out = pair(c, out, aligned.get(i), alone(labels, result.length(), last, i));
        }
        long[] sizes = Arrays.copyOf(out.sizes(), result.length());
        return sizes.length == out.dims() ? out : Views.view(c.e(), out, sizes);
    }

    /**
     * Gives the dimensions that ellipses stand for labels that come before all letters, the last dimension the same one
     * in all operands.
     *
     * @param inputs changed
     * @return the labels
     */
    private static String spared(String[] inputs, Tensor[] operands) {
        int most = 0;
        for (int i = 0; i < inputs.length; i++) {
            if (inputs[i].contains(ELLIPSIS)) {
                most = Math.max(most, operands[i].dims() - inputs[i].length() + ELLIPSIS.length());
            }
        }
        String labels = DIMENSIONS.substring(0, most);
        for (int i = 0; i < inputs.length; i++) {
            int own = operands[i].dims() - inputs[i].length() + ELLIPSIS.length();
            inputs[i] = inputs[i].contains(ELLIPSIS)
                    ? inputs[i].replace(ELLIPSIS, labels.substring(most - own))
                    : inputs[i];
        }
        return labels;
    }

    /** Labels that occur once, in alphabetical order. */
    private static String implicit(String[] inputs) {
        Map<Character, Integer> count = new TreeMap<>(Einsum::upperFirst);
        for (String input : inputs) {
            String in = input.replace(ELLIPSIS, "");
            for (int k = 0; k < in.length(); k++) {
                count.merge(in.charAt(k), 1, Integer::sum);
            }
        }
        StringBuilder out = new StringBuilder();
        count.forEach((label, n) -> out.append(n == 1 ? label.toString() : ""));
        return out.toString();
    }

    private static int upperFirst(char a, char b) {
        return Character.compare(a, b);
    }

    /** Which dimensions are summed with an operand: those that no later one has. */
    private static boolean[] alone(StringBuilder labels, int kept, Map<Character, Integer> last, int operand) {
        boolean[] out = new boolean[labels.length()];
        for (int d = kept; d < out.length; d++) {
            out[d] = Objects.equals(last.get(labels.charAt(d)), operand);
        }
        return out;
    }

    private static Tensor aligned(Calls c, String own, String labels, Tensor t) {
        if (own.chars().distinct().count() != own.length()) {
            throw new UserInputException("einsum: the executor has no diagonals (" + own + ")");
        }
        Tensor wide = t;
        StringBuilder all = new StringBuilder(own);
        for (int k = 0; k < labels.length(); k++) {
            char label = labels.charAt(k);
            if (own.indexOf(label) < 0) {
                wide = Views.unsqueeze(c.e(), wide, wide.dims());
                all.append(label);
            }
        }
        long[] order = labels.chars()
                .mapToLong(l -> all.indexOf(String.valueOf((char) l)))
                .toArray();
        return Dimensions.permute(c.e(), wide, order);
    }

    private static Tensor summed(Calls c, Tensor t, boolean[] dims) {
        long[] which = places(dims);
        return which.length == 0 ? t : c.call("sum", "self", t, "dim", which, "keepdim", true);
    }

    private static long[] places(boolean[] dims) {
        return IntStream.range(0, dims.length)
                .filter(d -> dims[d])
                .mapToLong(d -> d)
                .toArray();
    }

    /** sumproduct_pair: dimensions by kind become one each, and a batched product contracts them. */
    private static Tensor pair(Calls c, Tensor first, Tensor second, boolean[] sums) {
        if (places(sums).length == 0) {
            return c.call("mul", "self", first, "other", second);
        }
        Tensor left = first;
        Tensor right = second;
        List<Integer> both = new ArrayList<>();
        List<Integer> onlyLeft = new ArrayList<>();
        List<Integer> onlyRight = new ArrayList<>();
        List<Integer> contracted = new ArrayList<>();
        for (int d = 0; d < sums.length; d++) {
            boolean inLeft = first.size(d) != 1;
            boolean inRight = second.size(d) != 1;
            if (!sums[d]) {
                (inLeft && inRight ? both : inLeft ? onlyLeft : onlyRight).add(d);
            } else if (inLeft && inRight) {
                contracted.add(d);
            } else if (inLeft) {
                left = c.call("sum", "self", left, "dim", new long[] {d}, "keepdim", true);
            } else if (inRight) {
                right = c.call("sum", "self", right, "dim", new long[] {d}, "keepdim", true);
            }
        }
        long batches = product(left, both);
        long rows = product(left, onlyLeft);
        long inner = product(left, contracted);
        long columns = product(right, onlyRight);
        List<Integer> ones = new ArrayList<>(contracted);
        for (int d = 0; d < sums.length; d++) {
            if (sums[d] && !contracted.contains(d)) {
                ones.add(d);
            }
        }
        long[] shape = new long[sums.length];
        int at = 0;
        List<Integer> order = new ArrayList<>(both);
        order.addAll(onlyLeft);
        for (int d : order) {
            shape[at++] = left.size(d);
        }
        for (int d : ones) {
            order.add(d);
            shape[at++] = 1;
        }
        for (int d : onlyRight) {
            order.add(d);
            shape[at++] = right.size(d);
        }
        List<Integer> others = rest(ones, contracted);
        long[] leftOrder = dims(List.of(both, onlyLeft, contracted, others, onlyRight));
        long[] rightOrder = dims(List.of(both, contracted, onlyRight, others, onlyLeft));
        Tensor turnedLeft = Dimensions.permute(c.e(), left, leftOrder);
        Tensor l = Views.reshape(c.e(), turnedLeft, batches, rows, inner);
        Tensor turnedRight = Dimensions.permute(c.e(), right, rightOrder);
        Tensor r = Views.reshape(c.e(), turnedRight, batches, inner, columns);
        Tensor product = Views.view(c.e(), c.call("bmm", "self", l, "mat2", r), shape);
        long[] back = new long[sums.length];
        for (int i = 0; i < back.length; i++) {
            back[order.get(i)] = i;
        }
        return Dimensions.permute(c.e(), product, back);
    }

    private static List<Integer> rest(List<Integer> all, List<Integer> without) {
        return all.stream().filter(d -> !without.contains(d)).toList();
    }

    private static long[] dims(List<List<Integer>> parts) {
        return parts.stream()
                .flatMap(List::stream)
                .mapToLong(Integer::longValue)
                .toArray();
    }

    private static long product(Tensor t, List<Integer> dims) {
        return dims.stream().mapToLong(t::size).reduce(1, (a, b) -> a * b);
    }
}
