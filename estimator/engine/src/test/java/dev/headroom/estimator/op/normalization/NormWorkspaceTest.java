package dev.headroom.estimator.op.normalization;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.estimator.op.RecordedRows;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workspaces that cuDNN asked for on an H100. */
class NormWorkspaceTest {
    /** A single channel, and a single pixel, lie as in any other layout. */
    @Test
    void everyShapeInChannelsLast() {
        List<String> wrong = new ArrayList<>();
        for (String[] row : RecordedRows.of("batch_norms.csv.gz")) {
            long channels = Long.parseLong(row[1]);
            long size = Long.parseLong(row[2]);
            long rows = Long.parseLong(row[0]) * size * size;
            boolean turned = row[4].equals("1") && channels > 1 && size > 1;
            DType type = DType.valueOf(row[3]);
            long forward = turned ? NormWorkspace.FORWARD.bytes(channels, rows, type) : 0;
            long backward = turned ? NormWorkspace.BACKWARD.bytes(channels, rows, type) : 0;
            if (forward != Long.parseLong(row[5]) || backward != Long.parseLong(row[6])) {
                wrong.add(String.join(",", row) + ": " + forward + ", " + backward);
            }
        }
        assertEquals(List.of(), wrong);
    }

    /** Six channels, from the single operators that were recorded on the same card. */
    @ParameterizedTest
    @CsvSource({"324, 1868, 1572", "392, 2000, 1700"})
    void fewChannelsOffTheVector(long rows, long forward, long backward) {
        assertEquals(forward, NormWorkspace.FORWARD.bytes(6, rows, DType.FLOAT32));
        assertEquals(backward, NormWorkspace.BACKWARD.bytes(6, rows, DType.FLOAT32));
    }
}
