package dev.headroom.model.device;

import java.util.List;

/** Measures the device memory that a process takes on this machine's GPU; another module brings it as a service. */
public interface DeviceProbe {
    /**
     * What was measured.
     *
     * @param gpu the card, by its name in the catalogue where it stands there
     * @param catalogued whether it does
     * @param lines exact figures for this machine, and ranges of what cannot be measured without PyTorch
     * @param others bytes that were in use before, by other processes and the screen
     */
    record Measured(Gpu gpu, boolean catalogued, List<DeviceLine> lines, long others) {}

    /**
     * Makes a context on the first GPU, and handles of cuBLAS and cuDNN, and looks at the device's memory in between.
     *
     * @throws dev.headroom.model.error.UserInputException when there is no GPU, or it cannot be measured
     */
    Measured measure();
}
