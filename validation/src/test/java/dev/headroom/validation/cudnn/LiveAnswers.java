package dev.headroom.validation.cudnn;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.cudnn.WorkspaceSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Repeats what cuDNN 9.19 answered on an H100 that had given it a handle. */
public final class LiveAnswers implements WorkspaceSource {
    private static final CudnnDevice H100 = new CudnnDevice(9, 0, 132);

    /** Read with the first question. */
    private static final class Kept {
        private static final Map<ConvolutionProblem, Long> ANSWERS = lines().stream()
                .map(AnswerLine::parse)
                .collect(Collectors.toMap(AnswerLine::problem, AnswerLine::workspace));
    }

    private static List<String> lines() {
        return Fixtures.lines(Fixtures.recordings().resolve("h100/live/answers.txt.gz"));
    }

    /** The answers, each with the bytes that the same cuDNN names there when it is told of the GPU and has no handle. */
    static Map<AnswerLine, Long> toldOfGpu() {
        return lines().stream()
                .collect(Collectors.toMap(
                        AnswerLine::parse, line -> Long.valueOf(line.substring(line.lastIndexOf(' ') + 1))));
    }

    @Override
    public WorkspaceLevel level() {
        return WorkspaceLevel.LIVE;
    }

    @Override
    public String description() {
        return "recorded answers of cuDNN 9.19.0 with a handle";
    }

    @Override
    public boolean seesDriver() {
        return true;
    }

    @Override
    public Optional<WorkspaceAnswer> answer(ConvolutionProblem problem, CudnnDevice gpu) {
        return gpu.equals(H100)
                ? Optional.ofNullable(Kept.ANSWERS.get(problem))
                        .map(bytes -> WorkspaceAnswer.fixed(WorkspaceLevel.LIVE, bytes))
                : Optional.empty();
    }
}
