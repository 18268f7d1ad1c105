package dev.headroom.validation.fuzz;

import dev.headroom.validation.fuzz.Program.Edit;
import dev.headroom.validation.fuzz.Wire.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Changes the fields of a message of protobuf, and leaves it a message; edits of the highest kinds change bytes. */
final class WireEdits {
    private static final int OF_BYTES = 252;

    /** Edits of lower kinds put a field that may stand in a place. */
    private static final int OF_ANY_KIND = 176;

    private static final long[] NUMBERS = {
        0, 1, -1, 2, 3, 7, 16, 65_537, Integer.MAX_VALUE, 1L << 31, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE
    };

    private static final List<String> TEXTS = List.of("", "x", "0", "-1", "a.b.c", "../../x\n\u0000", "\u00e9");

    /** A field and where it stands. */
    private record Place(List<Field> message, int index) {
        Field field() {
            return message.get(index);
        }

        void put(Field field) {
            message.set(index, field);
        }
    }

    private WireEdits() {}

    static byte[] apply(byte[] seed, Program program) {
        List<Field> message = Wire.read(seed);
        List<Place> others = new ArrayList<>();
        collect(Wire.read(program.donor()), others);
        List<Edit> bytes = new ArrayList<>();
        for (Edit edit : program.edits()) {
            List<Place> places = new ArrayList<>();
            collect(message, places);
            if (edit.kind() >= OF_BYTES || places.isEmpty()) {
                bytes.add(edit);
            } else if (edit.kind() < OF_ANY_KIND) {
                alike(places.get(Edit.of(edit.place(), places.size())), edit, edit.value() % 2 == 0 ? places : others);
            } else {
                change(places.get(Edit.of(edit.place(), places.size())), edit, places);
            }
        }
        return ByteEdits.apply(message.isEmpty() ? seed : Wire.write(message), bytes);
    }

    private static void collect(List<Field> message, List<Place> places) {
        for (int i = 0; i < message.size(); i++) {
            places.add(new Place(message, i));
            collect(message.get(i).inner(), places);
        }
    }

    private static void alike(Place place, Edit edit, List<Place> from) {
        Field field = place.field();
        List<Field> cousins = from.stream()
                .map(Place::field)
                .filter(other -> other.tag() == field.tag() && other.isMessage() == field.isMessage())
                .toList();
        Field cousin = cousins.isEmpty() ? field : cousins.get(Edit.of(edit.value() >>> 1, cousins.size()));
        switch (Edit.of(edit.kind(), 6)) {
            case 0, 1 -> place.put(field.kind() == 0 ? changed(field, edit) : cousin.copy());
            case 2, 3 -> place.put(cousin.copy());
            case 4 -> place.message().add(place.index(), cousin.copy());
            default -> place.message().remove(place.index());
        }
    }

    private static void change(Place place, Edit edit, List<Place> places) {
        Field field = place.field();
        Field other = places.get(Edit.of(edit.value(), places.size())).field();
        switch (Edit.of(edit.kind(), 7)) {
            case 0, 1 -> place.put(changed(field, edit));
            case 2 -> place.message().remove(place.index());
            case 3 -> place.message().add(place.index(), field.copy());
            case 4 -> place.put(other.copy());
            case 5 -> place.put(field.kind() == other.kind() ? other.copy().tagged(field.tag()) : other.copy());
            default -> place.put(field.tagged(edit.value() % 2 == 0 ? other.tag() : edit.value() & 0x7fffL));
        }
    }

    private static Field changed(Field field, Edit edit) {
        if (field.kind() == 0) {
            return field.with(NUMBERS[Edit.of(edit.value(), NUMBERS.length)]);
        }
        if (field.kind() == 2) {
            return field.with(TEXTS.get(Edit.of(edit.value(), TEXTS.size())).getBytes(StandardCharsets.UTF_8));
        }
        byte[] bytes = field.bytes().clone();
        if (bytes.length == 0) { // a number without bytes, of a file that ends in it
            return field;
        }
        bytes[Edit.of(edit.value() >>> 8, bytes.length)] = (byte) edit.value();
        return field.with(bytes);
    }
}
