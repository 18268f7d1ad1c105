package dev.headroom.model.onnx.file;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an ONNX file says of a model.
 *
 * @param opset version of the operators of ONNX itself
 * @param initializers by name, in the order of the file
 * @param inputs as the graph names them; old files list initializers among them
 * @param described values of which the file says type and shape, by name
 */
public record OnnxFile(
        long opset,
        List<Operation> nodes,
        Map<String, Tensor> initializers,
        List<Described> inputs,
        List<String> outputs,
        Map<String, Described> described) {

    /**
     * A call of an operator.
     *
     * @param domain "" for ONNX's own operators
     * @param inputs names of values, "" for one that is left out
     * @param metadata what the exporter wrote beside it, such as the module's path
     */
    public record Operation(
            String name,
            String type,
            String domain,
            List<String> inputs,
            List<String> outputs,
            Map<String, Attribute> attributes,
            Map<String, String> metadata) {}

    /** An attribute; only what its type has is set. */
    public record Attribute(
            long number,
            double real,
            String text,
            List<Long> numbers,
            List<Double> reals,
            @Nullable Tensor tensor) {}

    /**
     * A tensor that the file holds, here or in another file.
     *
     * @param type of elements, as ONNX counts them
     * @param numbers its elements where they are integers and few; {@code null} otherwise
     * @param reals its elements where they are floating point and few; {@code null} otherwise
     */
    public record Tensor(String name, int type, long[] sizes, long @Nullable [] numbers, double @Nullable [] reals) {}

    /**
     * Type and shape of a value.
     *
     * @param type of elements, as ONNX counts them; 0 for what is no tensor
     * @param sizes {@code null} where the rank is not said
     */
    public record Described(String name, int type, @Nullable List<Size> sizes) {}

    /** A size: a number, or the name of an open one, or neither. */
    public record Size(long number, String name) {}
}
