package dev.headroom.estimator.flops;

import dev.headroom.model.error.UserInputException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * FLOPs of {@code torch.einsum}, which contracts its operands two by two from the left, each pair as one batched matrix
 * product; indices of one operand that nothing else names are summed before (ATen/native/Linear.cpp, sumproduct_pair).
 */
final class EinsumFlops {
    private static final char BROADCAST = '.';

    private EinsumFlops() {}

    static OperatorFlops of(CallSizes call) {
        String equation = call.text("equation").replace(" ", "").replace("...", String.valueOf(BROADCAST));
        int arrow = equation.indexOf("->");
        List<String> operands = List.of((arrow < 0 ? equation : equation.substring(0, arrow)).split(",", -1));
        List<long[]> tensors = call.list("tensors");
        if (operands.size() != tensors.size()) {
            throw new UserInputException("node " + call.node().name() + ": einsum '" + equation + "' names "
                    + operands.size() + " operands and is given " + tensors.size());
        }
        Map<Character, Long> sizes = new LinkedHashMap<>();
        for (int i = 0; i < tensors.size(); i++) {
            note(sizes, operands.get(i), tensors.get(i));
        }
        String result = arrow < 0 ? once(operands) : equation.substring(arrow + 2);
        OperatorFlops sum = OperatorFlops.NONE;
        String left = operands.get(0);
        int leftWanted = call.wanted("tensors", 0);
        for (int i = 1; i < operands.size(); i++) {
            String later = result + String.join("", operands.subList(i + 1, operands.size()));
            String both = kept(left, operands.get(i) + later) + kept(operands.get(i), left + later);
            long flops = 2;
            for (char index : both.chars().distinct().mapToObj(c -> (char) c).toList()) {
                flops = Math.multiplyExact(flops, Objects.requireNonNull(sizes.get(index)));
            }
            int rightWanted = call.wanted("tensors", i);
            sum = sum.plus(OperatorFlops.products(flops, leftWanted + rightWanted));
            leftWanted = Math.max(leftWanted, rightWanted);
            left = kept(both, later);
        }
        return sum;
    }

    private static String kept(String indices, String named) {
        StringBuilder out = new StringBuilder();
        indices.chars().filter(c -> named.indexOf(c) >= 0).forEach(c -> out.append((char) c));
        return out.toString();
    }

    /** Without an arrow the result has the indices that are named once, after the broadcast ones. */
    private static String once(List<String> operands) {
        String all = String.join("", operands);
        StringBuilder out = new StringBuilder(all.indexOf(BROADCAST) < 0 ? "" : String.valueOf(BROADCAST));
        all.chars()
                .filter(c -> c != BROADCAST && all.indexOf(c) == all.lastIndexOf(c))
                .forEach(c -> out.append((char) c));
        return out.toString();
    }

    private static void note(Map<Character, Long> sizes, String indices, long[] tensor) {
        int more =
                tensor.length - indices.replace(String.valueOf(BROADCAST), "").length();
        int d = 0;
        for (int i = 0; i < indices.length(); i++) {
            char index = indices.charAt(i);
            long size = 1;
            for (int n = index == BROADCAST ? more : 1; n > 0; n--) {
                size = Math.multiplyExact(size, tensor[d++]);
            }
            sizes.merge(index, size, Math::max);
        }
    }
}
