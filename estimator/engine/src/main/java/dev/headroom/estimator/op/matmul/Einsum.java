package dev.headroom.estimator.op.matmul;

import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.Arrays;

/**
 * {@code einsum}, operands contracted from left to right (ATen/native/Linear.cpp, einsum and sumproduct_pair). Labels
 * are letters; an operand names a label once. The dimensions of an ellipsis are as many letters, counted from the last.
 */
final class Einsum {
    private static final String ELLIPSIS = "...";
    private static final char HIDDEN = '\u0430'; // a Cyrillic letter, and those behind it

    private Einsum() {}

    static Tensor run(Call c) {
        Tensor[] operands = c.tensors("tensors");
        String[] sides =
                spelled(c.text("equation", "").replace(" ", ""), operands).split("->", -1);
        String[] inputs = sides[0].split(",");
        check(inputs, operands);
        String out = sides.length > 1 ? sides[1] : implicit(sides[0]);
        String labels = out + others(sides[0], out);
        EagerRuntime rt = c.runtime();
        Tensor[] seen = new Tensor[operands.length];
        for (int i = 0; i < seen.length; i++) {
            seen[i] = arranged(rt, operands[i], inputs[i], labels);
        }
        Tensor result = seen[0];
        if (seen.length == 1) {
            return summedAway(rt, result, out.length());
        }
        for (int i = 1; i < seen.length; i++) {
            boolean[] sum = new boolean[labels.length()];
            for (int d = out.length(); d < sum.length; d++) {
                int last = lastUse(inputs, labels.charAt(d));
                sum[d] = last == i || last == 0 && i == 1; // what the first alone has is summed with the second
            }
            result = product(rt, result, seen[i], sum);
        }
        return Views.view(rt, result, Arrays.copyOf(result.sizes(), out.length()));
    }

    /** The equation with letters, which PyTorch's labels do not use, in the place of ellipses. */
    private static String spelled(String equation, Tensor[] operands) {
        int arrow = equation.indexOf("->");
        String[] inputs = (arrow < 0 ? equation : equation.substring(0, arrow)).split(",");
        if (!equation.contains(ELLIPSIS) || inputs.length != operands.length) {
            return equation;
        }
        int most = 0;
        for (int i = 0; i < inputs.length; i++) {
            if (inputs[i].contains(ELLIPSIS)) {
                int hidden = operands[i].dim() - (inputs[i].length() - ELLIPSIS.length());
                most = Math.max(most, hidden);
                inputs[i] = inputs[i].replace(ELLIPSIS, letters(hidden));
            }
        }
        String left = String.join(",", inputs);
        String right = arrow < 0
                ? letters(most) + implicit(left.replaceAll("[^a-zA-Z]", ""))
                : equation.substring(arrow + 2).replace(ELLIPSIS, letters(most));
        return left + "->" + right;
    }

    private static String letters(int count) {
        StringBuilder out = new StringBuilder();
        for (int i = count; i > 0; i--) {
            out.append((char) (HIDDEN + i));
        }
        return out.toString();
    }

    private static void check(String[] inputs, Tensor[] operands) {
        boolean plain = inputs.length == operands.length;
        for (int i = 0; plain && i < inputs.length; i++) {
            plain = inputs[i].chars().allMatch(Character::isLetter)
                    && inputs[i].chars().distinct().count() == inputs[i].length()
                    && inputs[i].length() == operands[i].dim();
        }
        if (!plain) {
            throw new NoRule("einsum with a repeated label");
        }
    }

    /** Labels that occur once, in alphabetical order. */
    private static String implicit(String inputs) {
        StringBuilder out = new StringBuilder();
        inputs.chars()
                .filter(Character::isLetter)
                .distinct()
                .sorted()
                .filter(l -> inputs.chars().filter(x -> x == l).count() == 1)
                .forEach(l -> out.append((char) l));
        return out.toString();
    }

    private static String others(String inputs, String out) {
        StringBuilder rest = new StringBuilder();
        inputs.chars()
                .filter(Character::isLetter)
                .distinct()
                .sorted()
                .filter(l -> out.indexOf(l) < 0)
                .forEach(l -> rest.append((char) l));
        return rest.toString();
    }

    private static int lastUse(String[] inputs, char label) {
        int last = -1;
        for (int i = 0; i < inputs.length; i++) {
            last = inputs[i].indexOf(label) >= 0 ? i : last;
        }
        return last;
    }

    /** The operand with one dimension a label, of size 1 where it has none. */
    private static Tensor arranged(EagerRuntime rt, Tensor t, String names, String labels) {
        Tensor v = t;
        long[] perm = new long[labels.length()];
        int next = names.length();
        for (int d = 0; d < perm.length; d++) {
            int at = names.indexOf(labels.charAt(d));
            if (at < 0) {
                v = Views.unsqueeze(rt, v, next);
                at = next++;
            }
            perm[d] = at;
        }
        return Views.permute(rt, v, perm);
    }

    private static Tensor summedAway(EagerRuntime rt, Tensor t, int kept) {
        if (t.dim() == kept) {
            return t;
        }
        long[] dims = new long[t.dim() - kept];
        Arrays.setAll(dims, i -> kept + i);
        return Reductions.sum(rt, t, dims, false, t.dtype());
    }

    /** sumproduct_pair with kept dimensions: a batched matrix product over permuted operands. */
    private static Tensor product(EagerRuntime rt, Tensor a, Tensor b, boolean[] sum) {
        Tensor left = a;
        Tensor right = b;
        boolean any = false;
        boolean[] both = new boolean[sum.length];
        LongArrayList ofLeft = new LongArrayList();
        LongArrayList ofRight = new LongArrayList();
        for (int d = 0; d < sum.length; d++) {
            if (sum[d] && left.size(d) != 1 && right.size(d) != 1) {
                both[d] = true;
                any = true;
            } else if (sum[d] && left.size(d) != 1) {
                ofLeft.add(d);
            } else if (sum[d] && right.size(d) != 1) {
                ofRight.add(d);
            }
        }
        if (!ofLeft.isEmpty()) {
            left = Reductions.sum(rt, left, ofLeft.toLongArray(), true, left.dtype());
        }
        if (!ofRight.isEmpty()) {
            right = Reductions.sum(rt, right, ofRight.toLongArray(), true, right.dtype());
        }
        if (!any) {
            return Pointwise.mul(rt, left, right);
        }
        int n = sum.length;
        int[] kind = kinds(left, right, both);
        if (rightFirst(kind)) {
            Tensor first = right;
            right = left;
            left = first;
            kind = kinds(left, right, both);
        }
        long[] outOrder = order(kind, 0, 1, 2, 3);
        long[] sizes = new long[n];
        long[] inverse = new long[n];
        for (int i = 0; i < n; i++) {
            int d = (int) outOrder[i];
            sizes[i] = kind[d] == 2 ? 1 : kind[d] == 3 ? right.size(d) : left.size(d);
            inverse[d] = i;
        }
        long batch = size(left, kind, 0);
        long inner = size(left, kind, 2);
        Tensor x =
                Views.reshape(rt, Views.permute(rt, left, order(kind, 0, 1, 2, 3)), batch, size(left, kind, 1), inner);
        Tensor y = Views.reshape(
                rt, Views.permute(rt, right, order(kind, 0, 2, 3, 1)), batch, inner, size(right, kind, 3));
        Tensor product = Matmul.bmm(rt, null, x, y);
        Tensor out = Views.permute(rt, Views.view(rt, product, sizes), inverse);
        rt.free(product);
        return out;
    }

    /** By dimension: 0 in both operands, 1 in the left one only, 2 summed, 3 in the right one only. */
    private static int[] kinds(Tensor left, Tensor right, boolean[] summed) {
        int[] kind = new int[summed.length];
        for (int d = 0; d < kind.length; d++) {
            boolean l = left.size(d) != 1;
            boolean r = right.size(d) != 1;
            kind[d] = summed[d] ? 2 : l && r ? 0 : l ? 1 : 3;
        }
        return kind;
    }

    /** Whether all dimensions of the right operand come before those of the left one: then they change places. */
    private static boolean rightFirst(int[] kind) {
        int lastRight = -1;
        int firstLeft = Integer.MAX_VALUE;
        for (int d = 0; d < kind.length; d++) {
            lastRight = kind[d] == 3 ? d : lastRight;
            firstLeft = kind[d] == 1 ? Math.min(firstLeft, d) : firstLeft;
        }
        return lastRight >= 0 && firstLeft < Integer.MAX_VALUE && lastRight < firstLeft;
    }

    private static long size(Tensor t, int[] kind, int wanted) {
        long n = 1;
        for (int d = 0; d < kind.length; d++) {
            n *= kind[d] == wanted ? t.size(d) : 1;
        }
        return n;
    }

    private static long[] order(int[] kind, int... kinds) {
        long[] out = new long[kind.length];
        int n = 0;
        for (int k : kinds) {
            for (int d = 0; d < kind.length; d++) {
                if (kind[d] == k) {
                    out[n++] = d;
                }
            }
        }
        return out;
    }
}
