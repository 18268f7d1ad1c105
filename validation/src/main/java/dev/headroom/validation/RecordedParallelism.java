package dev.headroom.validation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.parallel.DdpOptions;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parallel.PipelineOptions;
import dev.headroom.model.parallel.ShardingOptions;
import dev.headroom.model.parallel.TensorOptions;
import dev.headroom.model.parallel.ZeroOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads over how many GPUs a recording of the oracle was spread, and how. */
final class RecordedParallelism {
    private final JsonNode config;

    private RecordedParallelism(JsonNode config) {
        this.config = config;
    }

    /**
     * What a recording's {@code config} says; one GPU where it says nothing.
     *
     * @throws UserInputException for an unknown way
     */
    static Parallelism of(JsonNode config) {
        return config.hasNonNull("parallel") ? new RecordedParallelism(config).read() : Parallelism.DEFAULTS;
    }

    private Parallelism read() {
        ParallelKind kind = Arrays.stream(ParallelKind.values())
                .filter(k -> k.option().equals(text("parallel")))
                .findFirst()
                .orElseThrow(() -> new UserInputException("config: parallel '" + text("parallel") + "' is not known"));
        return new Parallelism(
                kind,
                config.path("world").asInt(),
                kind == ParallelKind.DP || kind == ParallelKind.MP
                        ? null
                        : (Integer) config.path("rank").asInt(),
                mesh(),
                Parallelism.Build.valueOf(text("build").toUpperCase(Locale.ROOT).replace('-', '_')),
                Parallelism.Events.valueOf(text("events").toUpperCase(Locale.ROOT)),
                flag("no_sync"),
                flag("cpu_offload"),
                ddp(),
                sharding(),
                new ZeroOptions(flag("param_offload"), overlap(), text("ds_config")),
                new TensorOptions(number("tp"), flag("sequence_parallel"), flag("loss_parallel"), null),
                new PipelineOptions(
                        text("schedule"),
                        config.path("microbatches").asInt(),
                        config.path("virtual").asInt(),
                        List.of()));
    }

    private DdpOptions ddp() {
        return new DdpOptions(
                config.hasNonNull("bucket_cap_mb")
                        ? (Double) config.path("bucket_cap_mb").asDouble()
                        : null,
                flag("gradient_as_bucket_view"),
                flag("static_graph"),
                flag("find_unused_parameters"),
                RecordedRun.type(config, "compress"),
                flag("zero_optimizer"),
                flag("parameters_as_bucket_view"));
    }

    private ShardingOptions sharding() {
        String reshard = text("reshard_after_forward");
        return ShardingOptions.DEFAULTS
                .withWrap(ShardingOptions.Wrap.valueOf(text("wrap").toUpperCase(Locale.ROOT)))
                .withWrapModules(texts("wrap_modules"))
                .withParamDtype(RecordedRun.type(config, "param_dtype"))
                .withReduceDtype(RecordedRun.type(config, "reduce_dtype"))
                .withReshardAfterForward(
                        switch (reshard) {
                            case "default" -> null;
                            case "true" -> (Integer) 1;
                            case "false" -> (Integer) 0;
                            default -> Integer.valueOf(reshard);
                        })
                .withStrategy(Arrays.stream(ShardingOptions.Strategy.values())
                        .filter(s -> s.option().equals(text("strategy")))
                        .findFirst()
                        .orElseThrow(() ->
                                new UserInputException("config: strategy '" + text("strategy") + "' is not known")))
                .withLimitAllGathers(text("limit_all_gathers").equals("true"))
                .withUseOrigParams(flag("use_orig_params"))
                .withBackwardPrefetch(ShardingOptions.Prefetch.valueOf(
                        text("backward_prefetch").toUpperCase(Locale.ROOT)));
    }

    private @Nullable Boolean overlap() {
        String text = text("overlap_comm");
        return text.equals("default") ? null : Boolean.valueOf(text);
    }

    private List<Integer> mesh() {
        return config.hasNonNull("mesh")
                ? Arrays.stream(text("mesh").split("x")).map(Integer::valueOf).toList()
                : List.of();
    }

    private List<String> texts(String key) {
        List<String> out = new ArrayList<>();
        config.path(key).forEach(t -> out.add(t.asText()));
        return out;
    }

    private @Nullable Integer number(String key) {
        return config.hasNonNull(key) ? (Integer) config.path(key).asInt() : null;
    }

    private boolean flag(String key) {
        return config.path(key).asBoolean();
    }

    private String text(String key) {
        return config.path(key).asText();
    }
}
