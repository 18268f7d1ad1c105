package dev.headroom.validation.cudnn;

import dev.headroom.estimator.cudnn.WorkspaceSources;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.cudnn.WorkspaceSource;
import dev.headroom.validation.RecordedRun;
import dev.headroom.validation.published.XmemRow;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Prints what the installed cuDNN answers for every convolution of the runs in a folder of recordings, so that tests
 * can repeat its answers where there is none. Argument: the folder, which holds one folder a GPU; none for the
 * published runs of the xMem repository.
 */
public final class RecordAnswers {
    private RecordAnswers() {}

    public static void main(String[] arguments) throws IOException {
        Set<String> lines = new LinkedHashSet<>();
        if (arguments.length == 0) {
            XmemRow.all().stream().map(XmemRow::request).forEach(request -> record(request, device(request), lines));
            lines.forEach(System.out::println);
            return;
        }
        try (Stream<Path> gpus = Files.list(Path.of(arguments[0]))) {
            for (Path gpu : gpus.filter(Files::isDirectory).sorted().toList()) {
                for (Path file : Fixtures.recordings(gpu)) {
                    RecordedRun run = new RecordedRun(Recording.read(file));
                    PredictionRequest request =
                            run.request(run.archive(Fixtures.models()).orElseThrow());
                    record(request, device(request), lines);
                }
            }
        }
        PrintStream out = System.out;
        lines.forEach(out::println);
    }

    private static CudnnDevice device(PredictionRequest request) {
        return new CudnnDevice(
                request.device().givenGpu().major(),
                request.device().givenGpu().minor(),
                request.device().givenGpu().sms());
    }

    private static void record(PredictionRequest request, CudnnDevice device, Set<String> lines) {
        WorkspaceSources sources = WorkspaceSources.installed(device);
        WorkspaceSource cudnn = sources.source(WorkspaceLevel.ASKED).orElseThrow();
        Predictor.simulate(request).convolutions().problems().stream()
                .sorted(Comparator.comparing(ConvolutionProblem::toString))
                .forEach(problem -> cudnn.answer(problem, device)
                        .ifPresent(answer -> lines.add(new AnswerLine(device, problem, answer.first()).toString())));
    }
}
