package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.op.EngineArithmetic;
import dev.headroom.estimator.op.StandardRules;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.dsl.Arguments;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * {@code ctc_loss} and its backward pass as PyTorch 2.11 ran them on an H200, with cuDNN's own workspaces ({@code
 * operators/h200}): a call's targets, where they and the lengths were, sizes (steps, samples, classes, labels at most),
 * whether targets are padded or joined, and their lengths.
 */
class TemporalLossOnH200Test {
    @TestFactory
    Stream<DynamicTest> everyEventOfEveryCall() throws IOException {
        JsonNode rows;
        try (InputStream in = new GZIPInputStream(
                Files.newInputStream(Fixtures.operators().resolve("h200").resolve("library-calls.json.gz")))) {
            rows = new ObjectMapper().readTree(in);
        }
        List<JsonNode> calls = StreamSupport.stream(rows.spliterator(), false)
                .filter(r -> r.get(0).asText().equals("ctc"))
                .toList();
        assertEquals(64, calls.size());
        return calls.stream()
                .map(r -> DynamicTest.dynamicTest(
                        r.get(1).toString(), () -> assertEquals(recorded(r), new Played(r).events())));
    }

    /** The second call, whose gradient is added to the first one's; a call that failed only up to the loss. */
    private static String recorded(JsonNode row) {
        List<String> out = new ArrayList<>();
        for (JsonNode event : row.get(3).isArray() ? row.get(3) : row.get(2)) {
            out.add((event.get(0).asText().equals("alloc") ? "+" : "-")
                    + event.get(1).asLong());
        }
        return String.join(" ", row.get(4).isNull() ? out : out.subList(0, Played.UNTIL_LOSS));
    }

    /** A call that is played twice. */
    private static final class Played {
        /** Three tensors that are copied from the host, then gradient, workspace and losses; four go. */
        static final int UNTIL_LOSS = 10;

        private final EagerRuntime rt = new EagerRuntime(
                new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 37)),
                new DeviceModel(9, 0, 132),
                new KernelOptions(
                        null,
                        null,
                        Scenario.Attention.AUTO,
                        TorchVersion.of("2.11.0"),
                        false,
                        false,
                        CudnnVersion.NEWEST,
                        false,
                        false,
                        false));
        private final JsonNode row;
        private final Map<String, Tensor> values = new HashMap<>();
        private final long[] lengths;

        Played(JsonNode row) {
            rt.frame();
            this.row = row;
            JsonNode arguments = row.get(1);
            JsonNode sizes = arguments.get(2);
            long samples = sizes.get(1).asLong();
            lengths = StreamSupport.stream(arguments.get(4).spliterator(), false)
                    .mapToLong(JsonNode::asLong)
                    .toArray();
            Tensor logs = rt.empty(
                    DType.FLOAT32, sizes.get(0).asLong(), samples, sizes.get(2).asLong());
            rt.requireGrad(logs, true);
            values.put("log_probs", logs);
            boolean joined = arguments.get(3).asText().equals("joined");
            put(
                    "targets",
                    joined
                            ? new long[] {Arrays.stream(lengths).sum()}
                            : new long[] {samples, sizes.get(3).asLong()});
            put("input_lengths", samples);
            put("target_lengths", samples);
        }

        private void put(String name, long... sizes) {
            DType type = row.get(1).get(0).asText().equals("torch.int32") ? DType.INT32 : DType.INT64;
            boolean host = row.get(1).get(1).asText().equals("cpu");
            values.put(name, host ? rt.hostTensor(type, sizes) : rt.empty(type, sizes));
        }

        String events() {
            EventLog log = rt.devices().memory(0).log();
            run();
            int from = log.size();
            int known = log.storages();
            run();
            List<String> out = new ArrayList<>();
            for (int i = from; i < log.size(); i++) {
                int storage = log.storage(i);
                boolean made = !log.isFree(i) && storage >= known;
                known = Math.max(known, storage + 1);
                if (log.requested(storage) > 0 && (made || log.isFree(i))) {
                    out.add((made ? "+" : "-") + log.requested(storage));
                }
            }
            return String.join(" ", row.get(4).isNull() ? out : out.subList(0, UNTIL_LOSS));
        }

        /** Lengths are known to the recording: where cuDNN does not compute, they are given as numbers. */
        private void run() {
            boolean cudnn =
                    values.get("targets").dim() == 1 && values.get("targets").dtype() == DType.INT32;
            List<Node.NamedArgument> named = new ArrayList<>();
            for (String name : List.of("log_probs", "targets", "input_lengths", "target_lengths")) {
                boolean numbers = name.endsWith("lengths") && !cudnn;
                long[] given = name.startsWith("input") ? new long[lengths.length] : lengths;
                named.add(new Node.NamedArgument(name, numbers ? Arguments.of(given) : new Argument.Value(name)));
            }
            String target = "aten.ctc_loss." + (cudnn ? "Tensor" : "IntList");
            Call call = new Call(rt, new Node("", target, named, List.of(), List.of(), ""), values, Map.of());
            try (Frame inner = rt.frame()) {
                Tensor loss = StandardRules.registry().find(target).run(call)[0];
                new AutogradEngine(rt, new EngineArithmetic()).backward(loss, rt.emptyLike(loss));
            }
        }
    }
}
