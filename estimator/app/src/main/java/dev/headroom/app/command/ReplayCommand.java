package dev.headroom.app.command;

import static dev.headroom.model.scenario.ScenarioSettings.TORCH;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.DeviceMemory;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.allocator.replay.ProgramStates;
import dev.headroom.allocator.replay.Replay;
import dev.headroom.allocator.replay.ReplayComparison;
import dev.headroom.allocator.replay.ReplaySettings;
import dev.headroom.allocator.trace.JsonTrace;
import dev.headroom.allocator.trace.SnapshotTrace;
import dev.headroom.allocator.trace.Trace;
import dev.headroom.app.option.BadOption;
import dev.headroom.app.option.DeviceOptions;
import dev.headroom.app.report.ReplayReport;
import dev.headroom.app.report.Style;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.device.DeviceLines;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headroom replay}: a recorded run under other allocator settings. */
@Command(
        name = "replay",
        description = "What would a recorded run have reserved with other allocator settings?",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "FILE is a memory snapshot of PyTorch with history (torch.cuda.memory._record_memory_history, then"
                    + " _dump_snapshot), a recording with a trace, or an allocator program, of which --json prints the"
                    + " recorded states again. Any of them may be gzipped. Without a device or a limit, the recorded"
                    + " ones count.",
            "",
            "Exit status: 0 a setting gets through, 3 none does, 2 bad input, 1 a defect of Headroom."
        })
final class ReplayCommand implements Callable<Integer> {
    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "A snapshot (.pickle) or a trace (.json).")
    Path file = Path.of("");

    @Option(
            names = "--alloc-conf",
            paramLabel = "STR",
            description = "Further settings to compare, in the syntax of PYTORCH_CUDA_ALLOC_CONF; may be repeated.")
    List<String> confs = new ArrayList<>();

    @Option(names = "--torch", paramLabel = "VERSION", description = "PyTorch version (default the recorded one).")
    @Nullable
    String torch;

    @Mixin
    DeviceOptions device = new DeviceOptions();

    @Option(names = "--json", description = "One JSON object on standard output.")
    boolean json;

    @Override
    public Integer call() {
        Scenario where = device.on(Scenario.defaults());
        if (torch != null) {
            where = where.with(TORCH, TorchVersion.of(torch));
        }
        return replay(where);
    }

    private int replay(Scenario where) {
        confs.forEach(conf -> TraceInput.settings("--alloc-conf", () -> AllocatorSettings.parse(conf)));
        String version = torch == null ? null : where.torch().toString();
        Trace trace = TraceInput.open(file);
        long limit = where.device().limit() == null ? -1 : where.device().limit();
        ReplaySettings settings =
                TraceInput.settings(file, () -> new ReplaySettings(trace, version, limit, total(where) > 0));
        if (json && trace instanceof JsonTrace program && program.isProgram()) {
            return states(program, settings, where);
        }
        ReplayComparison comparison = compare(trace, settings, where);
        ReplayReport report = new ReplayReport(
                trace.name(), deviceOf(where), memory(trace, where).total(), comparison, warnings(trace, comparison));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            report.writeJson(out);
        } else {
            report.write(Style.forTerminal(), out);
        }
        out.flush();
        return comparison.best() == null ? ExitStatus.DOES_NOT_FIT : ExitStatus.OK;
    }

    private ReplayComparison compare(Trace trace, ReplaySettings settings, Scenario where) {
        try (Progress progress = Progress.of("Playing events")) {
            ReplayProgress observer = new ReplayProgress(progress);
            return TraceInput.read(
                    file, () -> ReplayComparison.of(trace, settings.all(confs), () -> memory(trace, where), observer));
        }
    }

    private int states(JsonTrace program, ReplaySettings settings, Scenario where) {
        if (confs.size() > 1) {
            throw new BadOption("--alloc-conf: the states of a program are those of one setting; give one, or leave out"
                    + " --json for a comparison");
        }
        AllocatorSettings chosen = confs.isEmpty() ? settings.recorded() : settings.with(confs.get(0));
        PrintWriter out = spec.commandLine().getOut();
        TraceInput.read(file, () -> {
            ProgramStates.write(program, chosen, memory(program, where), out);
            return null;
        });
        out.println();
        out.flush();
        return ExitStatus.OK;
    }

    private static DeviceMemory memory(Trace trace, Scenario where) {
        long total = total(where);
        if (total == 0) {
            return Replay.device(trace, 0);
        }
        long context = context(where);
        if (where.device().inUse() + context >= total) {
            throw new BadOption("--in-use: " + where.device().inUse() + " bytes and the CUDA context leave nothing of "
                    + total + " bytes of device memory; free some first");
        }
        return new SimulatedDeviceMemory(total, where.device().inUse() + context);
    }

    /** What the process takes beside; a trace does not tell whether it used cuDNN, so that is counted. */
    private static long context(Scenario where) {
        Gpu gpu = where.device().gpu();
        return gpu == null
                ? 0
                : DeviceLines.bytes(DeviceLines.of(gpu, where.torch().loadsKernelsLazily(), true));
    }

    /** Bytes of the device that was named, or 0. */
    private static long total(Scenario where) {
        Long total = where.device().total();
        return total == null ? 0 : total;
    }

    private static Prediction.@Nullable Device deviceOf(Scenario where) {
        DeviceBudget device = where.device();
        return device.total() == null
                ? null
                : new Prediction.Device(device.gpu(), device.total(), device.inUse(), device.limit());
    }

    private static List<String> warnings(Trace trace, ReplayComparison comparison) {
        List<String> lines = new ArrayList<>();
        if (trace instanceof SnapshotTrace snapshot && snapshot.earlierBlocks() > 0) {
            lines.add(snapshot.earlierBlocks() + " blocks are older than the history: where they came to lie is not"
                    + " known, so reserved figures are approximate; record from the start of the program");
        }
        if (comparison.recordedFailures() > 0) {
            lines.add("the recorded run itself ran out of memory " + comparison.recordedFailures()
                    + " times: what it would have asked for otherwise is not in the trace");
        }
        return lines;
    }
}
