package dev.headroom.model.deepspeed;

import dev.headroom.model.error.UserInputException;
import java.util.Optional;

/**
 * What lives outside of the GPU.
 *
 * @param optimizer master weights, gradients and states
 * @param parameters the shards of stage 3
 */
public record Offload(boolean optimizer, boolean parameters) {
    static Offload read(ConfigSection zero) {
        boolean optimizer = away(zero.section("offload_optimizer"), "offload_optimizer");
        boolean parameters = away(zero.section("offload_param"), "offload_param");
        zero.ignore("cpu_offload_use_pin_memory");
        return new Offload(
                optimizer || zero.flag("cpu_offload", false), parameters || zero.flag("cpu_offload_param", false));
    }

    /** Pinned memory and buffers for drives are the host's. */
    private static boolean away(ConfigSection offload, String name) {
        offload.ignore("pin_memory", "nvme_path", "buffer_count", "buffer_size", "max_in_cpu", "fast_init", "pipeline");
        offload.ignore("pipeline_read", "pipeline_write");
        Optional<String> device = offload.text("device");
        if (device.filter("nvme"::equals).isPresent()) {
            throw new UserInputException("`ds_config`: zero_optimization." + name
                    + ".device is \"nvme\", which is not modelled; \"cpu\" and \"none\" are");
        }
        if (offload.number("ratio").filter(r -> r < 1).isPresent()) {
            throw new UserInputException("`ds_config`: zero_optimization." + name
                    + ".ratio is below 1, which is not modelled; leave it out");
        }
        return device.filter("cpu"::equals).isPresent();
    }
}
