package dev.headroom.validation.real;

import dev.headroom.model.error.UserInputException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/**
 * The rows of a table of comma-separated values, in quotes where they have commas, compressed by gzip or not.
 *
 * @param file where they are from
 * @param header names of the columns
 */
record CsvRows(Path file, List<String> header, List<Row> rows) {
    /** A comma that an even number of quotes follows. */
    private static final String OUTSIDE_OF_QUOTES = ",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)";

    /** MiB of which the bytes can be counted. */
    private static final long MOST = 1L << 40;

    /** One of them: its number in the file, the header being the first. */
    record Row(CsvRows table, int line, String[] fields) {
        /** @throws UserInputException where there is no such column */
        String text(String column) {
            int at = table.header.indexOf(column);
            if (at < 0) {
                throw new UserInputException(table.file + ": has no column " + column);
            }
            return fields[at];
        }

        /**
         * A number of things, of bytes or of MiB.
         *
         * @throws UserInputException where it is none
         */
        long number(String column) {
            try {
                long value = Long.parseLong(text(column));
                if (value >= 0 && value <= MOST) {
                    return value;
                }
            } catch (NumberFormatException e) {
                throw wrong(column, "not a whole number");
            }
            throw wrong(column, "out of range");
        }

        /**
         * A size of a model: one to the most.
         *
         * @throws UserInputException where it is none
         */
        int size(String column, int most) {
            long value = number(column);
            if (value < 1 || value > most) {
                throw wrong(column, "out of range; it is 1 to " + most);
            }
            return (int) value;
        }

        /** @throws UserInputException where it is no number of at least 0 */
        double decimal(String column) {
            try {
                double value = Double.parseDouble(text(column));
                if (value >= 0 && value <= MOST) {
                    return value;
                }
            } catch (NumberFormatException e) {
                throw wrong(column, "not a number");
            }
            throw wrong(column, "out of range");
        }

        /** Says where the trouble is. */
        UserInputException wrong(String column, String trouble) {
            return new UserInputException(String.format(
                    Locale.ROOT, "%s: line %d: %s is '%s', %s", table.file, line, column, text(column), trouble));
        }
    }

    /** @throws UserInputException when it cannot be read as one */
    static CsvRows read(Path file) {
        try (InputStream in = Files.newInputStream(file);
                BufferedReader lines = new BufferedReader(new InputStreamReader(
                        file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in, StandardCharsets.UTF_8))) {
            String first = lines.readLine();
            CsvRows out = new CsvRows(
                    file, first == null ? List.of() : Arrays.asList(first.split(",")), new java.util.ArrayList<>());
            String line = lines.readLine();
            for (int n = 2; line != null; n++) {
                String[] fields = fields(line);
                if (fields.length < out.header.size()) {
                    throw new UserInputException(
                            file + ": line " + n + " has " + fields.length + " fields, not " + out.header.size());
                }
                out.rows.add(new Row(out, n, fields));
                line = lines.readLine();
            }
            return out;
        } catch (IOException e) {
            throw new UserInputException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Values between commas that stand outside of quotes; a quote within quotes is written twice. */
    private static String[] fields(String line) {
        String[] fields = line.split(line.indexOf('"') < 0 ? "," : OUTSIDE_OF_QUOTES, -1);
        for (int i = 0; i < fields.length; i++) {
            String f = fields[i];
            if (f.length() > 1 && f.startsWith("\"") && f.endsWith("\"")) {
                fields[i] = f.substring(1, f.length() - 1).replace("\"\"", "\"");
            }
        }
        return fields;
    }

    boolean has(String... columns) {
        return header.containsAll(List.of(columns));
    }
}
