package dev.headroom.validation.real;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.part.GatedFeedForward;
import dev.headroom.model.family.part.RmsNorm;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The layers of Liger-Kernel's benchmarks (benchmark/scripts, 2024 to 2026), by the names of their files. */
final class BenchmarkedLayer {
    private static final Map<String, BiFunction<JsonNode, DType, Graph>> KINDS = Map.of(
            "rms_norm", BenchmarkedLayer::norm,
            "swiglu", (sizes, type) -> gated(sizes, type, "SiLU", Layers.silu()),
            "geglu", (sizes, type) -> gated(sizes, type, "GELUTanh", tanhGelu()),
            "rope", BenchmarkedLayer::rotation,
            "layer_norm", BenchmarkedLayer::layerNorm,
            "cross_entropy", BenchmarkedLayer::crossEntropy,
            "fused_linear_cross_entropy", BenchmarkedLayer::head);

    private BenchmarkedLayer() {}

    /** The graph of a kind of layer; empty for one that is not written here. */
    static Optional<Graph> of(String kind, JsonNode sizes, DType type) {
        return Optional.ofNullable(KINDS.get(kind)).map(make -> make.apply(sizes, type));
    }

    private static Graph norm(JsonNode sizes, DType type) {
        long width = sizes.path("H").asLong();
        return Model.of("rms_norm", new RmsNorm("LlamaRMSNorm", width, 1e-6))
                .input("x", type, sizes.path("M").asLong(), width) // the module stays in float32
                .graph();
    }

    private static Graph rotation(JsonNode sizes, DType type) {
        long tokens = sizes.has("T")
                ? sizes.path("T").asLong()
                : sizes.path("seq_len").asLong();
        long width = sizes.has("H")
                ? sizes.path("H").asLong()
                : sizes.path("hidden_size").asLong();
        long queries = sizes.path("num_q_heads").asLong();
        long each = width / queries;
        return Model.of("rope", new Rotation(each))
                .type(type)
                .input("q", type, 1, tokens, queries, each)
                .input("k", type, 1, tokens, sizes.path("num_kv_heads").asLong(), each)
                .input(LayerBenchmark.FIXED + "cos", type, 1, tokens, each)
                .input(LayerBenchmark.FIXED + "sin", type, 1, tokens, each)
                .graph();
    }

    private static Graph gated(JsonNode sizes, DType type, String name, Layer activation) {
        long width = sizes.path("hidden_size").asLong();
        long batch =
                sizes.has("B") ? sizes.path("B").asLong() : sizes.path("bsz").asLong();
        Layer layer = new GatedFeedForward(
                name + "MLP", width, sizes.path("intermediate_size").asLong(), false, activation);
        return Model.of("gated", layer)
                .type(type)
                .input("x", type, batch, sizes.path("T").asLong(), width)
                .graph();
    }

    private static Layer tanhGelu() {
        return new Layer() {
            @Override
            protected Value forward(Scope s, Value... in) {
                return s.op("aten.gelu.default", "self", in[0], "approximate", "tanh");
            }
        };
    }

    private static Graph layerNorm(JsonNode sizes, DType type) {
        long width = sizes.path("N").asLong();
        return Model.of("layer_norm", Layers.layerNorm(width))
                .type(type)
                .input("x", type, sizes.path("M").asLong(), width)
                .graph();
    }

    private static Graph crossEntropy(JsonNode sizes, DType type) {
        long rows = sizes.path("B").asLong() * sizes.path("T").asLong();
        return Model.of("cross_entropy", new Loss(null, 0, 0))
                .type(type)
                .input("input", type, rows, sizes.path("V").asLong())
                .input("labels", DType.INT64, rows)
                .graph();
    }

    private static Graph head(JsonNode sizes, DType type) {
        long rows = sizes.path("BT").asLong();
        long width = sizes.path("H").asLong();
        long scores = sizes.path("V").asLong();
        return Model.of("head", new Loss(Layers.linear(width, scores, false), width, scores))
                .type(type)
                .input("hidden", type, rows, width)
                .input("labels", DType.INT64, rows)
                .graph();
    }

    /** {@code apply_rotary_pos_emb(q, k, cos, sin)} of heads that were put first. */
    private static final class Rotation extends Layer {
        private final long half;

        Rotation(long width) {
            half = width / 2;
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            throw new IllegalStateException("it has two results");
        }

        @Override
        protected Value[] results(Scope s, Value... in) {
            Value cos = s.op("aten.unsqueeze.default", "self", in[2], "dim", 1);
            Value sin = s.op("aten.unsqueeze.default", "self", in[3], "dim", 1);
            return new Value[] {turned(s, in[0], cos, sin), turned(s, in[1], cos, sin)};
        }

        private Value turned(Scope s, Value rows, Value cos, Value sin) {
            s.line("x_embed = (x * cos) + (rotate_half(x) * sin)");
            Value x = s.op("aten.transpose.int", "self", rows, "dim0", 1, "dim1", 2);
            Value direct = s.op("aten.mul.Tensor", "self", x, "other", cos);
            Value first = s.op("aten.slice.Tensor", "self", x, "dim", 3, "start", 0, "end", half);
            Value second = s.op("aten.slice.Tensor", "self", x, "dim", 3, "start", half, "end", Long.MAX_VALUE);
            Value negated = s.op("aten.neg.default", "self", second);
            Value halves = s.op("aten.cat.default", "tensors", new Value[] {negated, first}, "dim", -1);
            Value turned = s.op("aten.mul.Tensor", "self", halves, "other", sin);
            return s.op("aten.add.Tensor", "self", direct, "other", turned);
        }
    }

    /** {@code CrossEntropyLoss()} of scores that are given, or of a head's. */
    private static final class Loss extends Layer {
        private final @Nullable Layer head;

        Loss(@Nullable Layer head, long width, long scores) {
            this.head = head == null ? null : child("lin", head);
            if (head != null) {
                child("other", Layers.linear(width, scores, false)); // both sides of the comparison are there
            }
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("loss = self.loss_function(logits, labels)");
            Value scores = head == null ? in[0] : s.call(head, in[0]);
            return s.op("aten.cross_entropy_loss.default", "self", scores, "target", in[1]);
        }
    }
}
