package dev.headroom.estimator.parallel.mp;

import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.runtime.Devices;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An optimizer of parameters on several GPUs: what it does to many tensors at once, it does to those of one GPU after
 * another (torch/utils/_foreach_utils.py, _group_tensors_by_device_and_dtype).
 */
final class PerDeviceOptimizer implements Optimizer {
    private final Devices devices;
    private final Map<Integer, Optimizer> own = new TreeMap<>();

    /** By parameter: its device, and its place among those there. */
    private final List<int[]> places = new ArrayList<>();

    private PerDeviceOptimizer(Devices devices) {
        this.devices = devices;
    }

    /** @param make the optimizer of one GPU's parameters */
    static @Nullable Optimizer of(
            Devices devices, List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> make) {
        PerDeviceOptimizer all = new PerDeviceOptimizer(devices);
        Map<Integer, List<Tensor>> byDevice = new TreeMap<>();
        for (Tensor p : parameters) {
            List<Tensor> there = byDevice.computeIfAbsent(devices.of(p), d -> new ArrayList<>());
            all.places.add(new int[] {devices.of(p), there.size()});
            there.add(p);
        }
        int before = devices.current();
        byDevice.forEach((device, there) -> {
            devices.use(device);
            Optimizer made = make.apply(there);
            if (made != null) {
                all.own.put(device, made);
            }
        });
        devices.use(before);
        return all.own.isEmpty() ? null : all;
    }

    @Override
    public void step() {
        int before = devices.current();
        own.forEach((device, optimizer) -> {
            devices.use(device);
            optimizer.step();
        });
        devices.use(before);
    }

    @Override
    public List<Tensor> state(int parameter) {
        int[] place = places.get(parameter);
        return Objects.requireNonNull(own.get(place[0]), "an optimizer").state(place[1]);
    }
}
