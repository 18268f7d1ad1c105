package dev.headroom.validation.runs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.validation.Comparison;
import dev.headroom.validation.generate.RecordedCase;
import dev.headroom.validation.scores.Peak;
import dev.headroom.validation.scores.Quantity;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A small random model as the real PyTorch ran it, on no device in particular. */
final class RandomModelRun implements MeasuredRuns {
    private final String name;
    private final RecordedCase recorded;

    private RandomModelRun(String name, RecordedCase recorded) {
        this.name = name;
        this.recorded = recorded;
    }

    /** Those of a file, but for the ones that PyTorch refused. */
    static List<MeasuredRuns> of(Path file) {
        List<MeasuredRuns> out = new ArrayList<>();
        String group = file.getFileName().toString().replace(".jsonl.gz", "");
        for (RecordedCase c : RecordedCase.read(file)) {
            if (c.error().isEmpty()) {
                out.add(new RandomModelRun(group + " " + out.size(), c));
            }
        }
        return out;
    }

    @Override
    public String source() {
        return "random";
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Outcome> compare() {
        Graph graph = recorded.asked().graph();
        Prediction prediction = Predictor.predict(
                new PredictionRequest(graph, recorded.asked().run().training()));
        Recording recording = new Recording(
                Path.of(name),
                JsonNodeFactory.instance.objectNode(),
                recorded.phases().stream().map(RandomModelRun::phase).toList());
        Comparison comparison = Comparison.of(recording, prediction);
        PhaseMemory last = recorded.phases().get(recorded.phases().size() - 1);
        return List.of(new Outcome(
                source(),
                name,
                ModelClass.of(graph).label(),
                "",
                List.of(
                        new Peak(Quantity.ALLOCATED, prediction.peak().allocated(), last.maxAllocated()),
                        new Peak(Quantity.RESERVED, prediction.peak().reserved(), last.maxReserved())),
                null,
                null,
                comparison.rows(),
                comparison.structure() + comparison.firstDivergence(),
                Map.of()));
    }

    private static Recording.Phase phase(PhaseMemory p) {
        return new Recording.Phase(
                p.phase().label(), p.step(), p.micro(), p.allocated(), p.reserved(), p.maxAllocated(), p.maxReserved());
    }
}
