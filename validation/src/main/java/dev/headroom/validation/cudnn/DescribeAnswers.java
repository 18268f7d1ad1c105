package dev.headroom.validation.cudnn;

import dev.headroom.estimator.cudnn.ConvolutionDescription;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/**
 * Describes recorded answers as rules see them, for training. Arguments: a gzip file of {@link AnswerLine}s and the
 * file to write: a record a line, in little-endian order the features (float32), then workspace, bases and units
 * (int64).
 */
public final class DescribeAnswers {
    private DescribeAnswers() {}

    public static void main(String[] arguments) throws IOException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                        new GZIPInputStream(new FileInputStream(arguments[0])), StandardCharsets.UTF_8));
                OutputStream out = new BufferedOutputStream(Files.newOutputStream(Path.of(arguments[1])))) {
            String line;
            while ((line = lines.readLine()) != null) {
                out.write(bytes(AnswerLine.parse(line)));
            }
        }
    }

    private static byte[] bytes(AnswerLine answer) {
        ConvolutionDescription d = ConvolutionDescription.of(answer.problem()).orElseThrow();
        ByteBuffer record = ByteBuffer.allocate(
                        d.features().length * Float.BYTES + (1 + d.bases().length + d.units().length) * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        for (float feature : d.features()) {
            record.putFloat(feature);
        }
        record.putLong(answer.workspace());
        for (long base : d.bases()) {
            record.putLong(base);
        }
        for (long unit : d.units()) {
            record.putLong(unit);
        }
        return record.array();
    }
}
