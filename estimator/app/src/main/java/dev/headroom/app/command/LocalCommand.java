package dev.headroom.app.command;

import dev.headroom.app.report.JsonOutput;
import dev.headroom.executor.cuda.driver.CudaDevice;
import dev.headroom.model.device.Gpu;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headroom local}: the cards of this machine, in the catalogue's terms. */
@Command(name = "local", description = "Lists the GPUs of this machine.", mixinStandardHelpOptions = true)
public final class LocalCommand implements Subcommand {
    private static final String ROW = "%-3s %-17s %-32s %11s %11s %5s %4s%n";

    @Spec
    CommandSpec spec;

    @Option(names = "--json", description = "One JSON array on standard output.")
    boolean json;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        List<CudaDevice> devices = CudaDevice.all();
        if (json) {
            writeJson(devices, out);
        } else {
            writeTable(devices, out);
        }
        out.flush();
        return 0;
    }

    static void writeTable(List<CudaDevice> devices, PrintWriter out) {
        out.printf(Locale.ROOT, ROW, "gpu", "--gpu", "card", "total MiB", "free MiB", "CC", "SMs");
        for (CudaDevice d : devices) {
            out.printf(
                    Locale.ROOT,
                    ROW,
                    d.index(),
                    d.catalogued().map(Gpu::name).orElse("-"),
                    d.title(),
                    d.total() >> 20,
                    d.free() >> 20,
                    d.major() + "." + d.minor(),
                    d.sms());
        }
    }

    static void writeJson(List<CudaDevice> devices, PrintWriter out) {
        JsonOutput.write(out, generator -> {
            generator.writeStartArray();
            for (CudaDevice d : devices) {
                generator.writeStartObject();
                generator.writeNumberField("index", d.index());
                generator.writeStringField("gpu", d.catalogued().map(Gpu::name).orElse(null));
                generator.writeStringField("title", d.title());
                generator.writeNumberField("total", d.total());
                generator.writeNumberField("free", d.free());
                generator.writeStringField("capability", d.major() + "." + d.minor());
                generator.writeNumberField("sms", d.sms());
                generator.writeEndObject();
            }
            generator.writeEndArray();
        });
    }
}
