package dev.headroom.validation.cudnn;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.cudnn.WorkspaceSource;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Repeats what cuDNN answered, so that the asked level is tested where no cuDNN is installed. */
public final class RecordedAnswers implements WorkspaceSource {
    private final Map<CudnnDevice, Map<ConvolutionProblem, Long>> answers = new HashMap<>();

    public RecordedAnswers() {
        read(Fixtures.recordings().resolve("cudnn").resolve("answers.txt.gz"));
        read(Fixtures.folder().resolve("published").resolve("answers.txt.gz"));
    }

    private void read(Path file) {
        Fixtures.lines(file).stream().map(AnswerLine::parse).forEach(a -> answers.computeIfAbsent(
                        a.gpu(), g -> new HashMap<>())
                .put(a.problem(), a.workspace()));
    }

    /** Workspaces of the first plans for a GPU. */
    Map<ConvolutionProblem, Long> answers(CudnnDevice gpu) {
        return answers.getOrDefault(gpu, Map.of());
    }

    @Override
    public WorkspaceLevel level() {
        return WorkspaceLevel.ASKED;
    }

    @Override
    public String description() {
        return "recorded answers of cuDNN 9.24.0";
    }

    @Override
    public Optional<WorkspaceAnswer> answer(ConvolutionProblem problem, CudnnDevice gpu) {
        return Optional.ofNullable(answers(gpu).get(problem))
                .map(bytes -> WorkspaceAnswer.fixed(WorkspaceLevel.ASKED, bytes));
    }
}
