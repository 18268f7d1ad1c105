package dev.headroom.app.command;

import dev.headroom.app.catalogue.DeviceTable;
import dev.headroom.app.option.BadOption;
import dev.headroom.app.report.CalibrationReport;
import dev.headroom.model.device.Calibration;
import dev.headroom.model.device.DeviceProbe;
import dev.headroom.model.device.GpuCatalogue;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headroom devices}: the catalogue, and what this machine's card takes beside the allocator. */
@Command(
        name = "devices",
        description = "Lists the cards that --gpu knows, or measures this machine's.",
        mixinStandardHelpOptions = true)
final class DevicesCommand implements Callable<Integer> {
    @Spec
    CommandSpec spec;

    @Option(names = "--json", description = "One JSON array on standard output.")
    boolean json;

    @Option(
            names = "--calibrate",
            description =
                    "Measures the memory of CUDA's context and libraries on this machine's first GPU, and stores it"
                            + " for predictions.")
    boolean calibrate;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (calibrate) {
            calibrate(out);
            return ExitStatus.OK;
        }
        if (json) {
            DeviceTable.writeJson(GpuCatalogue.all(), out);
        } else {
            DeviceTable.write(GpuCatalogue.all(), out);
        }
        out.flush();
        return ExitStatus.OK;
    }

    private void calibrate(PrintWriter out) {
        DeviceProbe probe = ServiceLoader.load(DeviceProbe.class)
                .findFirst()
                .orElseThrow(
                        () -> new BadOption("--calibrate: this installation cannot use a GPU; run the headroom of a"
                                + " whole build, which has the module executor"));
        DeviceProbe.Measured measured = probe.measure();
        Path file = Calibration.file();
        Calibration.write(file, measured.gpu(), measured.lines());
        if (json) {
            CalibrationReport.writeJson(measured, file, out);
        } else {
            CalibrationReport.write(measured, file, out);
        }
        out.flush();
    }
}
