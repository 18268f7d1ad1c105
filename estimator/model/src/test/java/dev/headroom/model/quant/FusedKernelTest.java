package dev.headroom.model.quant;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.graph.DType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The choice between kernels is bitsandbytes' own, as version 0.50.2 answers for products of many shapes. */
class FusedKernelTest {
    private static final Map<String, DType> TYPES =
            Map.of("fp32", DType.FLOAT32, "fp16", DType.FLOAT16, "bf16", DType.BFLOAT16);

    @Test
    void answersAreTheLibrarys() throws IOException {
        List<String> wrong = new ArrayList<>();
        int asked = 0;
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(FusedKernelTest.class.getResourceAsStream("gemm_4bit.csv")),
                StandardCharsets.UTF_8))) {
            in.readLine();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] row = line.split(",");
                FusedKernel.Card gpu = new FusedKernel.Card(
                        Integer.parseInt(row[0]), Integer.parseInt(row[1]), Integer.parseInt(row[2]));
                boolean takes = FusedKernel.takes(
                        gpu,
                        Objects.requireNonNull(TYPES.get(row[3])),
                        Long.parseLong(row[4]),
                        Long.parseLong(row[5]),
                        Long.parseLong(row[6]));
                if (takes != row[7].equals("1")) {
                    wrong.add(line);
                }
                asked++;
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(asked > 1000);
    }
}
