package dev.headroom.model.scenario;

/**
 * Options of DeepSpeed's ZeRO.
 *
 * @param paramOffload parameters live in host memory
 * @param overlapComm whether gradients are reduced beside the backward pass; {@code null} for the library's choice
 * @param dsConfig further entries of DeepSpeed's JSON
 */
public record ZeroOptions(boolean paramOffload, Boolean overlapComm, String dsConfig) {
    public static final ZeroOptions DEFAULTS = new ZeroOptions(false, null, "{}");

    ZeroOptions withParamOffload(boolean value) {
        return new ZeroOptions(value, overlapComm, dsConfig);
    }

    ZeroOptions withOverlapComm(Boolean value) {
        return new ZeroOptions(paramOffload, value, dsConfig);
    }

    ZeroOptions withDsConfig(String value) {
        return new ZeroOptions(paramOffload, overlapComm, value);
    }
}
