package dev.headroom.model.deepspeed;

/**
 * How stage 3 brings parameters together and lets them go, in elements (deepspeed/runtime/zero/config.py).
 *
 * @param prefetch most elements that are fetched ahead of their use
 * @param persistence parameters of at most so many elements stay whole
 * @param modelPersistence most elements of all that stay whole
 * @param mostLive elements that may be whole before any are let go
 * @param reuseDistance what is used again within so many elements stays
 * @param oneByOne each parameter is fetched by itself
 */
public record ParameterFetching(
        long prefetch, long persistence, long modelPersistence, long mostLive, long reuseDistance, boolean oneByOne) {
    private static final String STAGE = "stage3_";
    private static final long PREFETCH = 50_000_000;
    private static final long PERSISTENCE = 100_000;
    private static final long MOST = 1_000_000_000;

    static ParameterFetching read(ConfigSection zero) {
        if (count(zero, "module_granularity_threshold", 0) > 0) {
            zero.refuse("module_granularity_threshold", STAGE + "module_granularity_threshold");
        }
        zero.refuse("use_all_reduce_for_fetch_params", STAGE + "use_all_reduce_for_fetch_params");
        boolean oneByOne = flag(zero, "allgather_sequential");
        long prefetch = count(zero, "prefetch_bucket_size", PREFETCH);
        return new ParameterFetching(
                oneByOne ? 1 : prefetch, // runtime/engine.py, _configure_zero_optimizer
                count(zero, "param_persistence_threshold", PERSISTENCE),
                count(zero, "model_persistence_threshold", Long.MAX_VALUE),
                count(zero, "max_live_parameters", MOST),
                count(zero, "max_reuse_distance", MOST),
                oneByOne);
    }

    private static long count(ConfigSection zero, String name, long usual) {
        return zero.count(usual, STAGE + name, name);
    }

    private static boolean flag(ConfigSection zero, String name) {
        return zero.flag(name, zero.flag(STAGE + name, false));
    }
}
