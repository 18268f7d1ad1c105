package dev.headroom.model.graph;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.error.UserInputException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** Arithmetic on sizes and strides comes to what PyTorch says of the same tensors. */
class RecordedLayoutsTest {
    private static List<JsonNode> lines() throws IOException {
        List<JsonNode> out = new ArrayList<>();
        ObjectMapper json = new ObjectMapper();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(
                        Fixtures.folder().resolve("layouts").resolve("layouts.json.gz"))),
                StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.add(json.readTree(line));
            }
        }
        assertTrue(out.size() > 300, "the recording is empty");
        return out;
    }

    private static long[] longs(JsonNode list) {
        long[] out = new long[list.size()];
        for (int i = 0; i < out.length; i++) {
            out[i] = list.get(i).asLong();
        }
        return out;
    }

    @Test
    void layoutsAreNamedAsPyTorchNamesThem() throws IOException {
        for (JsonNode n : lines()) {
            long[] sizes = longs(n.get("sizes"));
            long[] strides = longs(n.get("strides"));
            String of = n.toString();
            assertEquals(n.get("contiguous").asBoolean(), Shapes.isContiguous(sizes, strides), of);
            assertEquals(n.get("dense").asBoolean(), Shapes.isNonOverlappingAndDense(sizes, strides), of);
            assertEquals(n.path("channels_last").asBoolean(false), Shapes.isChannelsLastContiguous(sizes, strides), of);
            if (n.has("as_channels_last") && Shapes.numel(sizes) > 0) {
                assertArrayEquals(longs(n.get("as_channels_last")), Shapes.channelsLast(sizes), of);
            }
            assertArrayEquals(longs(n.get("preserved")), Shapes.preserved(sizes, strides), of);
        }
    }

    @Test
    void viewsAreThoseThatPyTorchMakes() throws IOException {
        for (JsonNode n : lines()) {
            long[] sizes = longs(n.get("sizes"));
            long[] strides = longs(n.get("strides"));
            for (JsonNode view : n.get("views")) {
                long[] shape = longs(view.get(0));
                long[] made = Shapes.viewStrides(sizes, strides, shape);
                assertArrayEquals(view.get(1).isNull() ? null : longs(view.get(1)), made, n + " as " + view);
                assertArrayEquals(shape, Shapes.inferSize(shape, Shapes.numel(sizes)), n.toString());
            }
        }
    }

    @Test
    void operandsMeetInThatShapeAndTheirSumHasThatLayout() throws IOException {
        for (JsonNode n : lines()) {
            long[] a = longs(n.get("sizes"));
            long[] b = longs(n.get("other").get(0));
            long[] common = longs(n.get("broadcast"));
            String of = n.toString();
            assertArrayEquals(common, Shapes.broadcast(a, b), of);
            assertArrayEquals(common, Shapes.broadcast(b, a), of);
            long[] strides = longs(n.get("strides"));
            long[] others = longs(n.get("other").get(1));
            long[][] seen = {Shapes.expandedStrides(a, strides, common), Shapes.expandedStrides(b, others, common)};
            for (int operand = 0; operand < 2; operand++) {
                long[] recorded = longs(n.get("expanded").get(operand));
                for (int d = 0; d < common.length; d++) {
                    // In a dimension of size 1 nothing moves; expand() and TensorIterator differ there.
                    assertTrue(common[d] == 1 || recorded[d] == seen[operand][d], of);
                }
            }
            // Operands of one shape go another way, where their layouts are alike.
            if (!Arrays.equals(a, b) && Shapes.numel(common) > 0) {
                long[] sum = Shapes.denseInOrder(common, Shapes.order(common, seen));
                assertArrayEquals(longs(n.get("sum")), sum, of);
            }
        }
    }

    @Test
    void aReductionWalksOverWhatItSumsFirst() {
        // (2, 3, 4) summed over the middle: its result does not move there.
        long[] sizes = {2, 3, 4};
        long[][] operands = {{4, 0, 1}, {12, 4, 1}};
        assertArrayEquals(new int[] {1, 2, 0}, Shapes.order(sizes, operands, true));
        assertArrayEquals(new int[] {2, 1, 0}, Shapes.order(sizes, operands, false));
        // Over the last two of a tensor whose first dimension is the fastest.
        assertArrayEquals(new int[] {1, 2, 0}, Shapes.order(sizes, new long[][] {{1, 0, 0}, {1, 2, 6}}, true));
    }

    @Test
    void dimensionsAreCountedFromEitherEnd() {
        assertEquals(0, Shapes.wrap(-3, 3));
        assertEquals(2, Shapes.wrap(2, 3));
        assertEquals(0, Shapes.wrap(-1, 0));
        assertEquals(0, Shapes.wrap(0, 0));
        for (long wrong : new long[] {-4, 3}) {
            Exception e = assertThrows(UserInputException.class, () -> Shapes.wrap(wrong, 3));
            assertTrue(String.valueOf(e.getMessage()).contains(wrong + " is out of range"), e.getMessage());
        }
    }

    @Test
    void oneSizeOfAViewMayBeLeftOpen() {
        assertArrayEquals(new long[] {3, 4, 2}, Shapes.inferSize(new long[] {3, -1, 2}, 24));
        assertArrayEquals(new long[] {0, 0}, Shapes.inferSize(new long[] {0, -1}, 0));
        assertArrayEquals(new long[] {2, 0}, Shapes.inferSize(new long[] {2, -1}, 0));
    }
}
