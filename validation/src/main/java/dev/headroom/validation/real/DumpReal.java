package dev.headroom.validation.real;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.nio.file.Path;
import java.util.List;

public final class DumpReal {
    public static void main(String[] a) {
        String mode = a[3];
        for (RealSet set : RealSets.of(Path.of(a[0]), List.of(Path.of(a[1])), a[2])) {
            if (!set.name().equals(a[2])) continue;
            set.runs().parallelStream().forEach(r -> {
                if (a.length > 4 && !r.name().matches(a[4])) return;
                try {
                    PredictionRequest q = r.request().get().unbounded();
                    Scenario s = q.scenario();
                    if (mode.contains("none")) s = s.with(ScenarioSettings.CUDNN_WORKSPACE, CudnnWorkspace.NONE);
                    if (mode.contains("dist"))
                        s = s.with(
                                ScenarioSettings.CUDNN_WORKSPACE, CudnnWorkspace.from(Scenario.Workspaces.DISTILLED));
                    if (mode.contains("bench")) s = s.with(ScenarioSettings.CUDNN_BENCHMARK, true);
                    Simulation p = Predictor.simulate(q.with(s));
                    System.out.printf(
                            "%s,%d,%s,%.3f,%.3f,%s%n",
                            r.name().replace(" batch ", ","),
                            r.measured() >> 20,
                            r.fate(),
                            p.maxReserved() / 1048576.0,
                            p.maxAllocated() / 1048576.0,
                            p.unmodelled().toString().replace(",", ";"));
                } catch (Throwable e) {
                    System.out.println(r.name() + ",ERR," + e);
                }
            });
        }
    }
}
