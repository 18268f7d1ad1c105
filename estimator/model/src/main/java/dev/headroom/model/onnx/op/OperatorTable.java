package dev.headroom.model.onnx.op;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.onnx.file.OnnxFile;
import dev.headroom.model.onnx.op.GraphWriter.Known;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The table: ONNX's operators (docs/Operators.md of ONNX) and what writes each in ATen's. */
public final class OperatorTable {
    private static final Map<String, Mapping> TABLE = table();

    private OperatorTable() {}

    private static Map<String, Mapping> table() {
        Map<String, Mapping> table = new LinkedHashMap<>();
        Elementwise.add(table);
        Layers.add(table);
        Views.add(table);
        Images.add(table);
        Selections.add(table);
        table.put("Constant", OperatorTable::constant);
        return table;
    }

    /** Names of the operators that have a counterpart. */
    public static Set<String> names() {
        return Set.copyOf(TABLE.keySet());
    }

    /**
     * Writes a call. One that has no counterpart keeps its name, {@code onnx.LSTM}, which no rule knows.
     *
     * @param said sizes that the file says of a value, or {@code null}
     * @throws UserInputException if the operator has no counterpart and the file does not say the sizes of its results
     */
    public static void write(
            GraphWriter writer,
            OnnxFile.Operation node,
            OnnxFile file,
            Function<String, @Nullable List<SymExpr>> said) {
        Call call = new Call(writer, node, file.opset());
        Mapping mapping = TABLE.get(node.domain().isEmpty() ? node.type() : node.domain() + "." + node.type());
        try {
            if (node.domain().isEmpty() && SmallNumbers.compute(call)) {
                return;
            }
            if (mapping == null) {
                throw new NoCounterpart();
            }
            mapping.write(call);
            for (String output : node.outputs()) {
                List<SymExpr> sizes = said.apply(output);
                if (sizes != null && !output.isEmpty()) {
                    Known known = writer.known(output);
                    writer.put(output, new Known(known.tensor(), known.type(), sizes, known.content(), known.weight()));
                }
            }
        } catch (NoCounterpart e) {
            unknown(writer, node, file, said);
        }
    }

    private static void constant(Call c) {
        OnnxFile.Attribute value = c.attribute("value");
        OnnxFile.Attribute number = c.attribute("value_int");
        OnnxFile.Attribute real = c.attribute("value_float");
        if (value != null && value.tensor() != null) {
            c.writer().held(c.output(0), value.tensor());
        } else if (number != null) {
            c.content(Content.of(DType.INT64, true, List.of(SymExpr.of(number.number()))));
        } else if (real != null) {
            c.content(Content.real(DType.FLOAT32, true, List.of(real.real())));
        } else if (!c.numbers("value_ints").isEmpty()) {
            c.content(Content.of(
                    DType.INT64,
                    false,
                    c.numbers("value_ints").stream().map(SymExpr::of).toList()));
        } else {
            throw new NoCounterpart();
        }
    }

    private static void unknown(
            GraphWriter writer,
            OnnxFile.Operation node,
            OnnxFile file,
            Function<String, @Nullable List<SymExpr>> said) {
        String operator = "onnx." + (node.domain().isEmpty() ? "" : node.domain() + ".") + node.type();
        List<@Nullable Object> pairs = new ArrayList<>();
        for (int i = 0; i < node.inputs().size(); i++) {
            String input = node.inputs().get(i);
            pairs.add("input" + i);
            pairs.add(input.isEmpty() ? null : writer.tensor(input));
        }
        List<String> results = new ArrayList<>();
        for (String output : node.outputs()) {
            if (output.isEmpty()) {
                continue;
            }
            List<SymExpr> sizes = said.apply(output);
            OnnxFile.Described described = file.described().get(output);
            if (sizes == null || described == null) {
                throw new UserInputException("the operator " + operator + " has no counterpart in PyTorch, and the"
                        + " file does not say the size of its result " + output
                        + "; run onnx.shape_inference.infer_shapes over the model first");
            }
            DType type = ElementTypes.of(described.type(), output);
            String tensor = writer.unique(output);
            results.add(tensor);
            writer.describe(tensor, type, sizes);
            writer.put(output, new Known(tensor, type, sizes, null, null));
        }
        if (!results.isEmpty()) {
            writer.call(operator + ".default", results, pairs.toArray());
        }
    }
}
