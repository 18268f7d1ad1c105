package dev.headroom.app.page;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.Scenario;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

/** Runs and their pages. */
final class Pages {
    static final String HOSTILE = "</script><b>bold</b><!--<img src=x onerror=alert(1)>{{script}}";

    private Pages() {}

    /** A fixture, trained for some steps on an RTX 3090. */
    static PlayedRun played(String model, long batch, int steps, Long limit) {
        return played(Importers.read(Path.of("../../fixtures/models", model)), batch, steps, limit);
    }

    /** The same on several GPUs. */
    static PlayedRun spread(String model, long batch, UnaryOperator<Scenario> how) {
        Scenario run = how.apply(Scenario.defaults().with(BATCH, batch).with(STEPS, 2));
        return PlayedRun.of(new PredictionRequest(
                Importers.read(Path.of("../../fixtures/models", model)),
                run.withDevice(new DeviceBudget(GpuCatalogue.find("rtx-3090").orElseThrow(), null, 0, null))));
    }

    private static PlayedRun played(Graph graph, long batch, int steps, Long limit) {
        Scenario run = Scenario.defaults().with(BATCH, batch).with(STEPS, steps);
        return PlayedRun.of(new PredictionRequest(
                graph,
                run.withDevice(new DeviceBudget(GpuCatalogue.find("rtx-3090").orElseThrow(), null, 0, limit))));
    }

    /** A model whose names would be markup, were they taken for it. */
    static PlayedRun hostile() {
        Layer root = new Layer() {
            private final Layer inner = child(HOSTILE, Layers.linear(64, 64));

            @Override
            protected Value forward(Scope scope, Value... in) {
                return scope.call(inner, in);
            }
        };
        return played(
                Model.of(HOSTILE, root)
                        .input("x", DType.FLOAT32, Model.BATCH, 64)
                        .graph(),
                8,
                2,
                null);
    }

    static PageRun unexplained(String label, PlayedRun played) {
        return new PageRun(label, played, List.of());
    }

    static String html(PageRun... runs) {
        StringWriter out = new StringWriter();
        Page.write(List.of(runs), out);
        return out.toString();
    }

    /** What is in the page's script of data. */
    static JsonNode data(String html) throws IOException {
        String open = "<script type=\"application/json\" id=\"data\">";
        int from = html.indexOf(open) + open.length();
        return new ObjectMapper().readTree(html.substring(from, html.indexOf("</script>", from)));
    }
}
