package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.graph.DType;
import dev.headroom.model.trainer.LoopKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The loss that balances experts, of the scores that routers gave (transformers,
 * models/mixtral/modeling_mixtral.py, load_balancing_loss_func, which the other mixtures take as well).
 */
public final class RouterLoss {
    /** Its name. */
    public static final String FUNCTION = "load_balancing_loss_func";

    private static final String COEFFICIENT = "router_aux_loss_coef";
    private static final long[] ALL = {-1};

    private final Scope s;
    private final Request request;
    private final long experts;

    private RouterLoss(Scope s, Request request) {
        this.s = s;
        this.request = request;
        ModelConfig c = request.config();
        experts = c.size("num_local_experts", c.size("num_experts", 8));
    }

    /**
     * Whether it is asked for: by an entry of the config, or by trl's SFTTrainer, unless it counts nothing
     * (trainer/sft_trainer.py, aux_loss_enabled).
     */
    public static boolean asked(Request request) {
        ModelConfig c = request.config();
        return request.scenario().trainer().loop() == LoopKind.SFT
                ? c.number(COEFFICIENT, 1) != 0
                : c.flag("output_router_logits", false);
    }

    /**
     * Adds it to the model's loss.
     *
     * @param scores of each layer's router
     * @return the sum, and this loss
     */
    public static Value[] add(Scope s, Request request, List<Value> scores, Value loss) {
        s.line("aux_loss = load_balancing_loss_func(router_logits, num_experts, top_k, attention_mask)");
        Value balance = s.function(FUNCTION, () -> new RouterLoss(s, request).write(scores));
        s.line("loss = loss + router_aux_loss_coef * aux_loss");
        Value weighted = s.op("aten.mul.Tensor", "self", balance, "other", 0.01);
        boolean within = request.scenario().trainer().loop() != LoopKind.SFT; // the library's own line is +=
        Value sum = s.op(within ? "aten.add_.Tensor" : "aten.add.Tensor", "self", loss, "other", weighted);
        return new Value[] {s.scalar(sum, DType.FLOAT32), balance};
    }

    private Value write(List<Value> scores) {
        boolean masked = request.options().mask() != ModelOptions.Mask.NONE;
        s.line("tokens_per_expert_sum = torch.zeros(num_experts)");
        Value tokens = zeros();
        s.line("router_prob_sum = torch.zeros(num_experts)");
        Value shares = zeros();
        @Nullable Value rows = null;
        @Nullable Value mask = null;
        if (masked) {
            s.line("flat_mask = attention_mask.reshape(-1).to(dtype=torch.float32)");
            Value flat = s.op("aten.reshape.default", "self", s.given("attention_mask"), "shape", ALL);
            mask = s.op("aten.to.dtype", "self", flat, "dtype", DType.FLOAT32);
        }
        for (Value layer : scores) {
            s.line("routing_weights = softmax(layer_gate, dim=-1)");
            Value weights = s.op("aten.softmax.int", "self", layer, "dim", -1);
            s.line("_, selected_experts = torch.topk(routing_weights, top_k, dim=-1)");
            Value chosen = s.ops("aten.topk.default", 2, Scope.arguments("self", weights, "k", chosen(), "dim", -1))[1];
            if (mask == null) {
                s.line("tokens_per_expert_sum = tokens_per_expert_sum + torch.bincount(selected).float()");
                Value flat = s.op("aten.reshape.default", "self", chosen, "shape", ALL);
                Value counts = s.op("aten.bincount.default", "self", flat, "minlength", experts);
                Value wide = s.op("aten.to.dtype", "self", counts, "dtype", DType.FLOAT32);
                tokens = s.op("aten.add.Tensor", "self", tokens, "other", wide);
                s.line("router_prob_sum = router_prob_sum + routing_weights.float().sum(dim=0)");
                Value each = s.op("aten.to.dtype", "self", weights, "dtype", DType.FLOAT32);
                shares = s.op("aten.add.Tensor", "self", shares, "other", columns(each));
                continue;
            }
            s.line("tokens_per_expert_sum = tokens_per_expert_sum + torch.zeros(num_experts).scatter_add_(flat_mask)");
            Value counts = zeros();
            Value flat = s.op("aten.reshape.default", "self", chosen, "shape", ALL);
            Value repeated = s.op("aten.repeat_interleave.self_int", "self", mask, "repeats", chosen());
            Value counted = s.op("aten.scatter_add_.default", "self", counts, "dim", 0, "index", flat, "src", repeated);
            tokens = s.op("aten.add.Tensor", "self", tokens, "other", counted);
            s.line("router_prob_sum = router_prob_sum + (routing_weights.float() * flat_mask).sum(dim=0)");
            Value wide = s.op("aten.to.dtype", "self", weights, "dtype", DType.FLOAT32);
            Value column = s.op("aten.unsqueeze.default", "self", mask, "dim", -1);
            Value real = s.op("aten.mul.Tensor", "self", wide, "other", column);
            shares = s.op("aten.add.Tensor", "self", shares, "other", columns(real));
            s.line("total_rows = total_rows + flat_mask.sum()");
            Value sum = s.op("aten.sum.default", "self", mask);
            rows = rows == null
                    ? s.op("aten.add.Tensor", "self", sum, "other", 0.0)
                    : s.op("aten.add.Tensor", "self", rows, "other", sum);
        }
        Object count = rows == null ? 1.0 : rows; // a number without a mask
        s.line("tokens_per_expert = tokens_per_expert_sum / total_rows");
        Value perExpert = s.op("aten.div.Tensor", "self", tokens, "other", count);
        s.line("router_prob_per_expert = router_prob_sum / total_rows");
        Value share = s.op("aten.div.Tensor", "self", shares, "other", count);
        s.line("overall_loss = torch.sum(tokens_per_expert * router_prob_per_expert.unsqueeze(0))");
        Value row = s.op("aten.unsqueeze.default", "self", share, "dim", 0);
        Value product = s.op("aten.mul.Tensor", "self", perExpert, "other", row);
        Value overall = s.op("aten.sum.default", "self", product);
        s.line("return overall_loss * num_experts");
        return s.op("aten.mul.Tensor", "self", overall, "other", experts);
    }

    private Value columns(Value x) {
        return s.op("aten.sum.dim_IntList", "self", x, "dim", new long[] {0});
    }

    private long chosen() {
        return request.config().size("num_experts_per_tok", request.config().has("num_local_experts") ? 2 : 8);
    }

    private Value zeros() {
        return s.op("aten.zeros.default", "size", new long[] {experts}, "dtype", DType.FLOAT32);
    }
}
