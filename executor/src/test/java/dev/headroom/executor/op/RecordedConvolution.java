package dev.headroom.executor.op;

import dev.headroom.executor.cuda.NullPlans;
import dev.headroom.executor.cuda.NullPlans.Mode;
import dev.headroom.executor.cuda.NullPlans.Plan;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * A convolution of {@code convolutions.csv}, and what PyTorch did with it: {@code record_convolutions.py} says how it
 * was recorded.
 *
 * @param skip elements of memory before the input's first
 * @param limit bytes that the allocator may reserve, 0 for all
 * @param asked questions to cuDNN: the heuristic mode and the operation
 * @param plans that cuDNN has for them
 * @param events of the allocator, with their bytes
 */
record RecordedConvolution(
        String name,
        Node node,
        DType type,
        MemoryFormat format,
        long skip,
        boolean deterministic,
        long limit,
        List<String> asked,
        List<Plan> plans,
        List<String> events) {
    private static final int INSTANT = 0;

    /** The call of {@code aten.convolution}, with the sizes of its tensors. */
    record Node(dev.headroom.model.graph.Node call, long[] input, long[] weight) {}

    @Override
    public String toString() {
        return name;
    }

    static Stream<RecordedConvolution> all() {
        Map<String, List<String>> recorded = new LinkedHashMap<>();
        List<String> current = List.of();
        for (String line : lines("convolutions.txt.gz")) {
            if (line.startsWith("case ")) {
                current = new ArrayList<>();
                recorded.put(line.substring("case ".length()), current);
            } else {
                current.add(line);
            }
        }
        return lines("convolutions.csv").stream()
                .skip(1)
                .map(line -> line.split(";"))
                .map(cells -> of(cells, recorded.get(cells[0])));
    }

    private static RecordedConvolution of(String[] cells, List<String> recorded) {
        long[] input = numbers(cells[7]);
        long[] weight = numbers(cells[8]);
        boolean last = cells[3].equals("nhwc");
        MemoryFormat channelsLast = input.length == 4 ? MemoryFormat.CHANNELS_LAST : MemoryFormat.CHANNELS_LAST_3D;
        Example call = new Example("aten.convolution")
                .tensor("input", input)
                .tensor("weight", weight)
                .none("bias")
                .integers("stride", numbers(cells[9]))
                .integers("padding", numbers(cells[10]))
                .integers("dilation", numbers(cells[12]))
                .flag("transposed", cells[1].equals("1"))
                .integers("output_padding", numbers(cells[11]))
                .integer("groups", Long.parseLong(cells[13]));
        List<String> asked = new ArrayList<>();
        List<Plan> plans = new ArrayList<>();
        List<String> events = new ArrayList<>();
        for (String line : recorded) {
            if (line.startsWith("asked ")) {
                asked.add(line.substring("asked ".length()));
            } else if (line.startsWith("plan ")) {
                plans.add(plan(asked.get(asked.size() - 1), line.split(" ")));
            } else {
                events.add(line);
            }
        }
        return new RecordedConvolution(
                cells[0],
                new Node(call.node(), input, weight),
                DType.valueOf(cells[2].toUpperCase(Locale.ROOT)),
                last ? channelsLast : MemoryFormat.CONTIGUOUS,
                Long.parseLong(cells[4]),
                cells[5].equals("1"),
                Long.parseLong(cells[6]),
                asked,
                plans,
                events);
    }

    private static Plan plan(String asked, String[] line) {
        int space = asked.indexOf(' ');
        Mode mode = Integer.parseInt(asked.substring(0, space)) == INSTANT ? Mode.INSTANT : Mode.FALLBACK;
        long workspace = Long.parseLong(line[2]);
        return new Plan(
                mode,
                Long.parseLong(line[1]),
                Math.max(workspace, 0),
                Integer.parseInt(line[3], 16),
                workspace >= 0,
                true,
                asked.substring(space + 1));
    }

    /** Whether PyTorch lets an engine with a plan's notes run. */
    static boolean mayRun(Plan plan, boolean deterministic) {
        int barred = NullPlans.DOWN_CONVERTS | (deterministic ? NullPlans.NONDETERMINISTIC : 0);
        return (plan.notes() & barred) == 0;
    }

    /** A question as it was put. */
    ConvolutionProblem problem(String asked) {
        List<Long> left = new ArrayList<>(
                Arrays.stream(asked.split(" ")).map(Long::valueOf).toList());
        List<Long> head = take(left, 5);
        int dims = head.get(2).intValue();
        List<List<Long>> sizes = new ArrayList<>();
        List<Long> alignment = new ArrayList<>();
        boolean channelsLast = true;
        for (int i = 0; i < 3; i++) {
            alignment.add(take(left, 2).get(1));
            sizes.add(take(left, dims));
            long[] packed =
                    Layout.channelsLast(sizes.get(i).stream().mapToLong(n -> n).toArray());
            channelsLast &=
                    take(left, dims).equals(Arrays.stream(packed).boxed().toList());
        }
        List<Long> padding = take(left, dims - 2);
        take(left, dims - 2);
        return new ConvolutionProblem(
                ConvolutionProblem.Direction.values()[head.get(1).intValue()],
                type,
                channelsLast,
                sizes.get(0),
                sizes.get(1),
                sizes.get(2),
                take(left, dims - 2),
                padding,
                take(left, dims - 2),
                alignment,
                deterministic);
    }

    /** Takes numbers from the front. */
    private static List<Long> take(List<Long> from, int count) {
        List<Long> front = from.subList(0, count);
        List<Long> out = List.copyOf(front);
        front.clear();
        return out;
    }

    private static long[] numbers(String text) {
        return Arrays.stream(text.split(",")).mapToLong(Long::parseLong).toArray();
    }

    private static List<String> lines(String file) {
        try (InputStream in = RecordedConvolution.class.getResourceAsStream(file);
                BufferedReader reader = new BufferedReader(new InputStreamReader(
                        file.endsWith(".gz") ? new GZIPInputStream(in) : in, StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
