package dev.headroom.allocator.snapshot;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads pickles of protocols 0 to 5 that consist of plain data only: dictionaries, lists, tuples, strings, integers of
 * 64 bits, floats, booleans and None. Whatever makes Python run code or build objects (GLOBAL, REDUCE, persistent ids
 * and so on) is refused by name. A damaged file cannot exhaust the memory: a text takes room only as its bytes come,
 * whatever length was declared; nesting, stack and memo are bounded, and there is no recursion.
 *
 * <p>Values are {@link PickleDict}, {@link PickleList}, String, Long, Double, Boolean and null.
 */
final class Unpickler {
    private static final int MAX_DEPTH = 64;
    private static final int MAX_STACK = 1 << 24;
    private static final int MAX_MARKS = 1 << 10;
    private static final int MAX_LINE = 1 << 12;
    private static final Object MARK = new Object();

    private final InputStream in;
    private final ArrayList<@Nullable Object> stack = new ArrayList<>();
    private final ArrayList<@Nullable Object> memo = new ArrayList<>();
    private int marks;
    private long position;

    Unpickler(InputStream in) {
        this.in = in;
    }

    /**
     * The pickled value.
     *
     * @throws IllegalArgumentException with one line when the pickle is damaged or more than plain data
     */
    @Nullable
    Object load() throws IOException {
        try {
            while (true) {
                int opcode = read();
                if (opcode == '.') {
                    return pop();
                }
                step(opcode);
                if (stack.size() > MAX_STACK || memo.size() > 4 * MAX_STACK) {
                    throw error("holds more values at once than a snapshot does");
                }
            }
        } catch (EOFException e) {
            throw error("ends too early");
        }
    }

    private void step(int opcode) throws IOException {
        switch (opcode) {
            case 0x80 -> protocol(read());
            case 0x95 -> little(8); // FRAME: a hint about buffering
            case '(' -> mark();
            case '0' -> pop();
            case '1' -> take();
            case '2' -> push(top());
            case 'N' -> push(null);
            case 0x88 -> push(true);
            case 0x89 -> push(false);
            case 'K' -> push(little(1));
            case 'M' -> push(little(2));
            case 'J' -> push((long) (int) little(4));
            case 0x8a -> push(integer(read()));
            case 0x8b -> push(integer(little(4)));
            case 'G' -> push(Double.longBitsToDouble(Long.reverseBytes(little(8))));
            case 'I' -> push(textInteger(line()));
            case 'L' -> push(textInteger(line().replaceFirst("L$", "")));
            case 'F' -> push(textFloat(line()));
            case 0x8c -> push(string(read()));
            case 'X' -> push(string(little(4)));
            case 0x8d -> push(string(little(8)));
            case 'V' -> push(line());
            case ')' -> push(new PickleList());
            case 0x85 -> tuple(1);
            case 0x86 -> tuple(2);
            case 0x87 -> tuple(3);
            case 't', 'l' -> push(list(take()));
            case ']' -> push(new PickleList());
            case '}' -> push(new PickleDict());
            case 'd' -> {
                @Nullable Object[] items = take();
                push(new PickleDict());
                putAll(items);
            }
            case 'a' -> {
                Object item = pop();
                addAll(new @Nullable Object[] {item});
            }
            case 'e' -> addAll(take());
            case 's' -> {
                Object value = pop();
                Object key = pop();
                putAll(new @Nullable Object[] {key, value});
            }
            case 'u' -> putAll(take());
            case 0x94 -> memo.add(top());
            case 'q' -> remember(read());
            case 'r' -> remember(little(4));
            case 'p' -> remember(textInteger(line()));
            case 'h' -> push(recall(read()));
            case 'j' -> push(recall(little(4)));
            case 'g' -> push(recall(textInteger(line())));
            default -> throw refused(opcode);
        }
    }

    private void protocol(int version) {
        if (version > 5) {
            throw error("has protocol " + version + "; 2 to 5 are read");
        }
    }

    private IllegalArgumentException refused(int opcode) throws IOException {
        return switch (opcode) {
            case 'c' ->
                error("asks for the Python object '" + shown(line()) + "." + shown(line())
                        + "': a snapshot is plain data, so this file is not read");
            case 0x93 ->
                error("asks for the Python object '" + shown(stack.size() > 1 ? stack.get(stack.size() - 2) : "")
                        + "." + shown(stack.isEmpty() ? "" : stack.get(stack.size() - 1))
                        + "': a snapshot is plain data, so this file is not read");
            case 'R', 'b', 'i', 'o', 0x81, 0x92 ->
                error("makes Python objects: a snapshot is plain data, so this file is not read");
            case 'P', 'Q', 0x82, 0x83, 0x84, 0x97, 0x98 ->
                error("refers to objects outside of it: a snapshot is plain data, so this file is not read");
            case 'B', 'C', 'T', 'U', 'S', 0x8e, 0x8f, 0x90, 0x91, 0x96 ->
                error("holds byte strings or sets, which snapshots do not");
            default -> error("has the unknown opcode " + opcode + ": it is no pickle, or damaged");
        };
    }

    private static String shown(@Nullable Object name) {
        String text = String.valueOf(name).replaceAll("[^A-Za-z0-9_.]", "?");
        return text.substring(0, Math.min(text.length(), 60));
    }

    private void mark() {
        if (++marks > MAX_MARKS) {
            throw error("is nested too deeply");
        }
        stack.add(MARK);
    }

    /** Pops what was pushed since the last mark, and the mark. */
    private @Nullable Object[] take() {
        int from = stack.size() - 1;
        while (from >= 0 && stack.get(from) != MARK) {
            from--;
        }
        if (from < 0) {
            throw error("lacks a mark");
        }
        @Nullable Object[] items = stack.subList(from + 1, stack.size()).toArray();
        stack.subList(from, stack.size()).clear();
        marks--;
        return items;
    }

    private void tuple(int size) {
        @Nullable Object[] items = new @Nullable Object[size];
        for (int i = size - 1; i >= 0; i--) {
            items[i] = pop();
        }
        push(list(items));
    }

    private PickleList list(@Nullable Object[] items) {
        PickleList list = new PickleList();
        for (Object item : items) {
            list.add(item);
            list.depth = deeper(list.depth, item);
        }
        return list;
    }

    private void addAll(@Nullable Object[] items) {
        if (!(top() instanceof PickleList list)) {
            throw error("appends to something that is no list");
        }
        for (Object item : items) {
            list.add(item);
            list.depth = deeper(list.depth, item);
        }
    }

    private void putAll(@Nullable Object[] items) {
        if (!(top() instanceof PickleDict dict) || items.length % 2 != 0) {
            throw error("sets items of something that is no dictionary");
        }
        for (int i = 0; i < items.length; i += 2) {
            dict.put(items[i], items[i + 1]);
            dict.depth = deeper(dict.depth, items[i + 1]);
        }
    }

    private int deeper(int depth, @Nullable Object item) {
        int below = item instanceof PickleDict d ? d.depth : item instanceof PickleList l ? l.depth : 0;
        if (below >= MAX_DEPTH) {
            throw error("is nested too deeply");
        }
        return Math.max(depth, below + 1);
    }

    private void remember(long index) {
        if (index < 0 || index > memo.size()) {
            throw error("numbers its values with gaps");
        }
        if (index == memo.size()) {
            memo.add(top());
        } else {
            memo.set((int) index, top());
        }
    }

    private @Nullable Object recall(long index) {
        if (index < 0 || index >= memo.size()) {
            throw error("refers to value " + index + ", which it has not given");
        }
        return memo.get((int) index);
    }

    private void push(@Nullable Object value) {
        stack.add(value);
    }

    private @Nullable Object top() {
        if (stack.isEmpty() || stack.get(stack.size() - 1) == MARK) {
            throw error("uses a value that it has not given");
        }
        return stack.get(stack.size() - 1);
    }

    private @Nullable Object pop() {
        Object value = top();
        stack.remove(stack.size() - 1);
        return value;
    }

    private Object integer(long bytes) throws IOException {
        if (bytes < 0 || bytes > 9) {
            throw error("holds an integer of more than 64 bits");
        }
        byte[] little = readFully((int) bytes);
        byte[] big = new byte[little.length];
        for (int i = 0; i < big.length; i++) {
            big[i] = little[little.length - 1 - i];
        }
        return big.length == 0 ? (Object) 0L : (Object) narrow(new BigInteger(big));
    }

    private long textInteger(String text) {
        if (!text.matches("-?[0-9]{1,20}")) {
            throw error("holds the damaged integer '" + shown(text) + "'");
        }
        return narrow(new BigInteger(text));
    }

    /** Addresses are unsigned 64-bit numbers in PyTorch. */
    private long narrow(BigInteger value) {
        if (value.bitLength() > 64) {
            throw error("holds an integer of more than 64 bits");
        }
        return value.longValue();
    }

    private double textFloat(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw error("holds the damaged number '" + shown(text) + "'");
        }
    }

    private String string(long bytes) throws IOException {
        if (bytes < 0 || bytes > Integer.MAX_VALUE - 8) {
            throw error("declares a string of " + Long.toUnsignedString(bytes) + " bytes");
        }
        return new String(readFully((int) bytes), StandardCharsets.UTF_8);
    }

    /** Reads bytes into an array that grows as they come. */
    private byte[] readFully(int bytes) throws IOException {
        byte[] data = new byte[Math.min(bytes, 1 << 16)];
        int got = 0;
        while (got < bytes) {
            if (got == data.length) {
                data = Arrays.copyOf(data, (int) Math.min(bytes, 2L * got));
            }
            int n = in.read(data, got, data.length - got);
            if (n < 0) {
                throw new EOFException();
            }
            got += n;
        }
        position += bytes;
        return data.length == bytes ? data : Arrays.copyOf(data, bytes);
    }

    private String line() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int c = read(); c != '\n'; c = read()) {
            if (text.length() >= MAX_LINE) {
                throw error("holds a line of more than " + MAX_LINE + " characters");
            }
            text.append((char) c);
        }
        return text.toString();
    }

    private long little(int bytes) throws IOException {
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value |= (long) read() << 8 * i;
        }
        return value;
    }

    private int read() throws IOException {
        int b = in.read();
        if (b < 0) {
            throw new EOFException();
        }
        position++;
        return b;
    }

    private IllegalArgumentException error(String what) {
        return new IllegalArgumentException("the pickle " + what + " (byte " + position + ")");
    }
}
