package dev.headroom.model.onnx.file;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.onnx.file.OnnxFile.Attribute;
import dev.headroom.model.onnx.file.OnnxFile.Described;
import dev.headroom.model.onnx.file.OnnxFile.Operation;
import dev.headroom.model.onnx.file.OnnxFile.Size;
import dev.headroom.model.onnx.file.OnnxFile.Tensor;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads ONNX files. Numbers of fields are those of onnx/onnx.proto of ONNX 1.19.
 */
public final class OnnxReader {
    /** Nodes are few kilobytes each: more text than this is no model. */
    private static final int MOST_NODES = 1_000_000;

    private long opset = 1;
    private final List<Operation> nodes = new ArrayList<>();
    private final Map<String, Tensor> initializers = new LinkedHashMap<>();
    private final List<Described> inputs = new ArrayList<>();
    private final List<Described> outputs = new ArrayList<>();
    private final Map<String, Described> described = new LinkedHashMap<>();

    private OnnxReader() {}

    /**
     * Reads the file; of external data nothing is opened.
     *
     * @throws UserInputException if it is no ONNX model
     */
    public static OnnxFile read(Path file) {
        OnnxReader reader = new OnnxReader();
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            CodedInputStream stream = CodedInputStream.newInstance(in);
            stream.setSizeLimit(Integer.MAX_VALUE);
            Fields.each(stream, reader::model);
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            throw new UserInputException(file + " is no ONNX model: " + e.getMessage() + "; export it again", e);
        } catch (IOException e) {
            throw new UserInputException(file + " cannot be read: " + e.getMessage(), e);
        }
        if (reader.nodes.isEmpty()) {
            throw new UserInputException(file + " is no ONNX model: it holds no nodes");
        }
        reader.outputs.forEach(o -> reader.described.putIfAbsent(o.name(), o));
        return new OnnxFile(
                reader.opset,
                List.copyOf(reader.nodes),
                reader.initializers,
                List.copyOf(reader.inputs),
                reader.outputs.stream().map(Described::name).toList(),
                reader.described);
    }

    private void model(int field, CodedInputStream in) throws IOException {
        switch (field) {
            case 7 -> Fields.message(in, this::graph);
            case 8 -> operatorSet(in);
            default -> in.skipField(in.getLastTag());
        }
    }

    private void operatorSet(CodedInputStream in) throws IOException {
        String[] domain = {""};
        long[] version = {0};
        Fields.message(in, (field, set) -> {
            switch (field) {
                case 1 -> domain[0] = set.readString();
                case 2 -> version[0] = set.readInt64();
                default -> set.skipField(set.getLastTag());
            }
        });
        if (domain[0].isEmpty() || domain[0].equals("ai.onnx")) {
            opset = version[0];
        }
    }

    private void graph(int field, CodedInputStream in) throws IOException {
        switch (field) {
            case 1 -> {
                if (nodes.size() == MOST_NODES) {
                    throw new IllegalArgumentException("it has more than " + MOST_NODES + " nodes");
                }
                nodes.add(node(in));
            }
            case 5 -> {
                Tensor tensor = Tensors.read(in);
                initializers.put(tensor.name(), tensor);
            }
            case 11 -> inputs.add(value(in));
            case 12 -> outputs.add(value(in));
            case 13 -> {
                Described value = value(in);
                described.put(value.name(), value);
            }
            default -> in.skipField(in.getLastTag());
        }
    }

    private static Operation node(CodedInputStream in) throws IOException {
        String[] text = {"", "", ""};
        List<String> reads = new ArrayList<>();
        List<String> results = new ArrayList<>();
        Map<String, Attribute> attributes = new LinkedHashMap<>();
        Map<String, String> metadata = new LinkedHashMap<>();
        Fields.message(in, (field, node) -> {
            switch (field) {
                case 1 -> reads.add(node.readString());
                case 2 -> results.add(node.readString());
                case 3 -> text[0] = node.readString();
                case 4 -> text[1] = node.readString();
                case 5 -> attribute(node, attributes);
                case 7 -> text[2] = node.readString();
                case 9 -> entry(node, metadata);
                default -> node.skipField(node.getLastTag());
            }
        });
        String domain = text[2].equals("ai.onnx") ? "" : text[2];
        return new Operation(text[0], text[1], domain, reads, results, attributes, metadata);
    }

    private static void entry(CodedInputStream in, Map<String, String> into) throws IOException {
        String[] pair = {"", ""};
        Fields.message(in, (field, entry) -> {
            if (field == 1 || field == 2) {
                pair[field - 1] = entry.readString();
            } else {
                entry.skipField(entry.getLastTag());
            }
        });
        into.put(pair[0], pair[1]);
    }

    private static void attribute(CodedInputStream in, Map<String, Attribute> into) throws IOException {
        String[] text = {"", ""};
        double[] real = {0};
        long[] number = {0};
        List<Long> numbers = new ArrayList<>();
        List<Double> reals = new ArrayList<>();
        List<Tensor> tensor = new ArrayList<>();
        Fields.message(in, (field, one) -> {
            switch (field) {
                case 1 -> text[0] = one.readString();
                case 2 -> real[0] = one.readFloat();
                case 3 -> number[0] = one.readInt64();
                case 4 -> text[1] = one.readBytes().toStringUtf8();
                case 5 -> tensor.add(Tensors.read(one));
                case 7 -> Fields.repeated(one, WireFormat.WIRETYPE_FIXED32, i -> reals.add((double) i.readFloat()));
                case 8 -> Fields.repeated(one, WireFormat.WIRETYPE_VARINT, i -> numbers.add(i.readInt64()));
                default -> one.skipField(one.getLastTag());
            }
        });
        Attribute value =
                new Attribute(number[0], real[0], text[1], numbers, reals, tensor.isEmpty() ? null : tensor.get(0));
        into.put(text[0], value);
    }

    private static Described value(CodedInputStream in) throws IOException {
        String[] name = {""};
        int[] type = {0};
        List<List<Size>> sizes = new ArrayList<>();
        Fields.message(in, (field, info) -> {
            switch (field) {
                case 1 -> name[0] = info.readString();
                case 2 ->
                    Fields.only(info, 1, (inTensor, tensor) -> {
                        switch (inTensor) {
                            case 1 -> type[0] = tensor.readInt32();
                            case 2 -> sizes.add(shape(tensor));
                            default -> tensor.skipField(tensor.getLastTag());
                        }
                    });
                default -> info.skipField(info.getLastTag());
            }
        });
        return new Described(name[0], type[0], sizes.isEmpty() ? null : sizes.get(0));
    }

    private static List<Size> shape(CodedInputStream in) throws IOException {
        List<Size> sizes = new ArrayList<>();
        Fields.message(in, (field, shape) -> {
            if (field != 1) {
                shape.skipField(shape.getLastTag());
                return;
            }
            long[] number = {0};
            String[] open = {""};
            boolean[] known = {false};
            Fields.message(shape, (inSize, size) -> {
                switch (inSize) {
                    case 1 -> {
                        number[0] = size.readInt64();
                        known[0] = true;
                    }
                    case 2 -> open[0] = size.readString();
                    default -> size.skipField(size.getLastTag());
                }
            });
            sizes.add(new Size(known[0] ? number[0] : -1, open[0]));
        });
        return sizes;
    }
}
