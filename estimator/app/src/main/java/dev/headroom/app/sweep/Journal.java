package dev.headroom.app.sweep;

import dev.headroom.app.option.BadOption;
import dev.headroom.model.error.Unwritable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The rows that are done, a line of JSON each in the order in which they were, in a file beside the table: what a sweep
 * that was killed goes on from. Its first line tells which sweep it is of. A line that was being written when the
 * process died has no end, and is dropped.
 */
final class Journal implements AutoCloseable {
    private static final int BUFFER = 1 << 20;

    private final Path path;
    private final RandomAccessFile file;
    /** Where the line of each row begins; negative where there is none yet. */
    private final long[] starts;

    private final int[] lengths;
    private long end;
    private int done;

    private Journal(Path path, RandomAccessFile file, int rows) {
        this.path = path;
        this.file = file;
        this.starts = new long[rows];
        this.lengths = new int[rows];
        Arrays.fill(starts, -1);
    }

    /** The journal of a table. */
    static Path of(Path table) {
        return table.resolveSibling(table.getFileName() + ".part");
    }

    /**
     * Begins a journal, or goes on with one.
     *
     * @param sweep tells one sweep from another
     * @param rows of the whole sweep
     * @throws dev.headroom.model.error.UserInputException when it cannot be written, is another sweep's, or is in use
     */
    static Journal open(Path table, String sweep, int rows) {
        Path path = of(table);
        try {
            @SuppressWarnings("MustBeClosed") // by the journal
            RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
            Journal journal = new Journal(path, file, rows);
            try {
                journal.begin(sweep);
            } catch (IOException | RuntimeException e) {
                file.close();
                throw e;
            }
            return journal;
        } catch (IOException e) {
            throw Unwritable.of("-o", path, e);
        }
    }

    private void begin(String sweep) throws IOException {
        try {
            if (file.getChannel().tryLock() == null) {
                throw new OverlappingFileLockException();
            }
        } catch (OverlappingFileLockException e) {
            throw new BadOption("-o: another sweep is writing " + path + "; wait for it, or name another file");
        }
        byte[] first = (sweep + "\n").getBytes(StandardCharsets.UTF_8);
        long length = file.length();
        byte[] there = new byte[(int) Math.min(first.length, length)];
        file.readFully(there);
        if (length >= first.length && !Arrays.equals(first, there)) {
            throw new BadOption("-o: " + path + " has rows of another sweep, or of the file before it was changed;"
                    + " remove it to begin anew, or name another file");
        }
        if (length < first.length) {
            file.setLength(0);
            write(first);
        } else {
            end = first.length;
            index(length);
            file.setLength(end);
        }
    }

    /** Finds the whole lines that follow the first. */
    private void index(long length) throws IOException {
        file.seek(end);
        byte[] buffer = new byte[BUFFER];
        StringBuilder head = new StringBuilder();
        long at = end;
        while (at < length) {
            int got = file.read(buffer);
            for (int i = 0; i < got; i++) {
                if (buffer[i] == '\n') {
                    add(head, end, at + i + 1);
                    end = at + i + 1;
                    head.setLength(0);
                } else if (head.length() < 32) {
                    head.append((char) buffer[i]); // {"row":123, …
                }
            }
            at += got;
        }
    }

    private void add(CharSequence line, long start, long next) {
        String text = line.toString();
        int colon = text.indexOf(':');
        int comma = text.indexOf(',');
        if (colon < 0 || comma < colon) {
            throw new BadOption("-o: " + path + " is no journal of a sweep; remove it, or name another file");
        }
        mark(Integer.parseInt(text.substring(colon + 1, comma)), start, next);
    }

    private void mark(int row, long start, long next) {
        if (starts[row] < 0) {
            done++;
        }
        starts[row] = start;
        lengths[row] = (int) (next - start);
    }

    /** Whether a row is done. */
    synchronized boolean has(int row) {
        return starts[row] >= 0;
    }

    /** Rows that are done. */
    synchronized int done() {
        return done;
    }

    /** Adds rows: all or, should the process die, the first of them. */
    synchronized void add(List<Integer> rows, List<String> lines) {
        try {
            long start = end;
            write(String.join("", lines).getBytes(StandardCharsets.UTF_8));
            for (int i = 0; i < rows.size(); i++) {
                long next = start + lines.get(i).getBytes(StandardCharsets.UTF_8).length;
                mark(rows.get(i), start, next);
                start = next;
            }
        } catch (IOException e) {
            throw Unwritable.of("-o", path, e);
        }
    }

    private void write(byte[] bytes) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        while (rest.hasRemaining()) {
            end += file.getChannel().write(rest, end);
        }
    }

    /** The line of a row that is done. */
    synchronized String line(int row) {
        try {
            ByteBuffer line = ByteBuffer.allocate(lengths[row]);
            int got;
            do {
                got = file.getChannel().read(line, starts[row] + line.position());
            } while (got > 0 && line.hasRemaining());
            return new String(line.array(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes the file: the table is written. */
    void remove() throws IOException {
        close();
        Files.deleteIfExists(path);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
