package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.executor.cuda.driver.CudaDevice;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class LocalCommandTest {
    private static final CudaDevice SMALL =
            new CudaDevice(0, "NVIDIA GeForce RTX 4060 Ti", 8, 9, 34, 8_300_000_000L, 8_000_000_000L);
    private static final CudaDevice UNKNOWN = new CudaDevice(1, "Some Card", 9, 9, 1, 1L << 30, 1L << 29);

    @Test
    void writesATableAndJson() throws IOException {
        StringWriter table = new StringWriter();
        LocalCommand.writeTable(List.of(SMALL, UNKNOWN), new PrintWriter(table, true));
        assertEquals(3, table.toString().lines().count());
        assertTrue(table.toString().contains("rtx-4060-ti-8gb"), table::toString);
        StringWriter json = new StringWriter();
        LocalCommand.writeJson(List.of(UNKNOWN), new PrintWriter(json, true));
        assertEquals(
                "[{\"index\":1,\"gpu\":null,\"title\":\"Some Card\",\"total\":1073741824,\"free\":536870912,"
                        + "\"capability\":\"9.9\",\"sms\":1}]",
                json.toString().strip());
    }

    @Test
    void theCommandLineFindsTheCommand() {
        assertTrue(ServiceLoader.load(Subcommand.class).stream().anyMatch(p -> p.type() == LocalCommand.class));
    }
}
