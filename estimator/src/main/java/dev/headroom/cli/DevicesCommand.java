package dev.headroom.cli;

import dev.headroom.device.GpuCatalogue;
import dev.headroom.report.DeviceTable;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headroom devices}: the catalogue. */
@Command(name = "devices", description = "Lists the cards that --gpu knows.", mixinStandardHelpOptions = true)
final class DevicesCommand implements Callable<Integer> {
    @Spec
    CommandSpec spec;

    @Option(names = "--json", description = "One JSON array on standard output.")
    boolean json;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            DeviceTable.writeJson(GpuCatalogue.all(), out);
        } else {
            DeviceTable.write(GpuCatalogue.all(), out);
        }
        out.flush();
        return ExitStatus.OK;
    }
}
