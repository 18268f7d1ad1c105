package dev.headroom.advisor.checkpoints;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;

import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Files;
import java.nio.file.Path;

/** A model of the fixtures with its stages and their costs. */
record Surveyed(
        Rehearsal rehearsal,
        Stages stages,
        StageCosts likely,
        StageCosts sure,
        NestedCosts nested,
        long before,
        boolean chain) {
    static Surveyed of(String model, long batch) {
        Scenario run = Scenario.defaults().with(BATCH, batch).with(STEPS, 2).with(CUDNN_WORKSPACE, CudnnWorkspace.NONE);
        Rehearsal rehearsal =
                new Rehearsal(new VariantPlayer(new PredictionRequest(Importers.read(archive(model)), run)), run);
        Stages stages = Stages.of(rehearsal.storeAll().prepared().plan().graph());
        CostSurvey survey = new CostSurvey(rehearsal, stages);
        PassLog log = new PassLog(rehearsal.storeAll(), stages);
        PassLog brief = new PassLog(rehearsal.storeAllBriefly(), stages);
        StageCosts likely = survey.costs(log, false, false);
        return new Surveyed(
                rehearsal,
                stages,
                likely,
                survey.costs(brief, false, true),
                survey.nested(log, likely, false),
                log.forwardStart[0],
                survey.isChain());
    }

    private static Path archive(String name) {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.exists(at.resolve("fixtures/models/" + name + ".pt2"))) {
            at = at.getParent();
        }
        return at.resolve("fixtures/models/" + name + ".pt2");
    }
}
