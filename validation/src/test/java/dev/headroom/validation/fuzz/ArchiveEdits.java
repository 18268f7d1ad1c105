package dev.headroom.validation.fuzz;

import dev.headroom.validation.fuzz.Program.Edit;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** Changes the JSON inside a zip, and sometimes the zip. */
final class ArchiveEdits {
    /** Edits of this kind and above change bytes, those below {@link #OF_ENTRIES} what is in an entry. */
    private static final int OF_BYTES = 252;

    private static final int OF_ENTRIES = 246;

    /** What a small archive may unpack to. */
    private static final int BLOWN_UP = 64 << 20;

    private static final Map<byte[], Map<String, byte[]>> UNPACKED =
            Collections.synchronizedMap(new IdentityHashMap<>());

    private ArchiveEdits() {}

    static byte[] apply(byte[] seed, Program program) {
        List<Edit> inside = new ArrayList<>();
        List<Edit> around = new ArrayList<>();
        List<Edit> bytes = new ArrayList<>();
        program.edits().forEach(edit -> (edit.kind() >= OF_BYTES ? bytes : edit.kind() >= OF_ENTRIES ? around : inside)
                .add(edit));
        byte[] zip = inside.isEmpty() && around.isEmpty() ? seed : edited(seed, program.donor(), inside, around);
        return ByteEdits.apply(zip, bytes);
    }

    private static byte[] edited(byte[] seed, byte[] donor, List<Edit> edits, List<Edit> around) {
        try {
            Map<String, byte[]> entries = entries(seed);
            List<String> names = entries.keySet().stream()
                    .filter(name -> name.endsWith(".json"))
                    .toList();
            if (!names.isEmpty() && !edits.isEmpty()) {
                // Every eighth edit begins in another entry than the largest, which is the graph.
                String graph = largest(entries);
                int place = edits.get(0).place();
                String name = place % 8 == 7 ? names.get(Edit.of(place / 8, names.size())) : graph;
                byte[] json = entries.get(name);
                Map<String, byte[]> others = name.equals(graph) && donor != seed ? entries(donor) : Map.of();
                byte[] other = others.getOrDefault(largest(others), json);
                entries.put(name, JsonEdits.apply(json, other, edits));
            }
            around.forEach(edit -> change(entries, edit));
            return zip(entries);
        } catch (IOException e) {
            return seed;
        }
    }

    private static String largest(Map<String, byte[]> entries) {
        return entries.keySet().stream()
                .filter(name -> name.endsWith(".json"))
                .max((a, b) -> Integer.compare(entries.get(a).length, entries.get(b).length))
                .orElse("");
    }

    private static void change(Map<String, byte[]> entries, Edit edit) {
        List<String> names = List.copyOf(entries.keySet());
        if (names.isEmpty()) {
            return;
        }
        String name = names.get(Edit.of(edit.place(), names.size()));
        byte[] bytes = entries.get(name);
        switch (Edit.of(edit.kind(), 5)) {
            case 0 -> entries.remove(name);
            case 1 -> entries.put(name, entries.get(names.get(Edit.of(edit.value(), names.size()))));
            case 2 -> entries.put(name, Arrays.copyOf(bytes, Edit.of(edit.value(), bytes.length + 1)));
            case 3 -> {
                entries.remove(name);
                entries.put((edit.value() % 2 == 0 ? "../" : "x") + name, bytes);
            }
            default -> {
                byte[] more = Arrays.copyOf(bytes, edit.value() % 4 == 0 ? BLOWN_UP : bytes.length + 4096);
                Arrays.fill(more, bytes.length, more.length, (byte) (edit.value() % 3 == 0 ? 0 : ' '));
                entries.put(name, more);
            }
        }
    }

    /** The entries of a good file, which are unpacked once. */
    private static Map<String, byte[]> entries(byte[] seed) throws IOException {
        Map<String, byte[]> known = UNPACKED.get(seed);
        if (known == null) {
            known = unpacked(seed);
            UNPACKED.put(seed, known);
        }
        return new LinkedHashMap<>(known);
    }

    private static Map<String, byte[]> unpacked(byte[] zip) throws IOException {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(zip))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                entries.put(entry.getName(), in.readAllBytes());
            }
        }
        return entries;
    }

    private static byte[] zip(Map<String, byte[]> entries) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                ZipEntry named = new ZipEntry(entry.getKey());
                named.setTime(0);
                out.putNextEntry(named);
                out.write(entry.getValue());
                out.closeEntry();
            }
        }
        return bytes.toByteArray();
    }
}
