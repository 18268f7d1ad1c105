package dev.headroom.model.onnx.file;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;

/** The fields of a protobuf message, one after the other. */
final class Fields {
    private Fields() {}

    /** Takes a field, whose content is next on the stream. */
    @FunctionalInterface
    interface Field {
        void read(int number, CodedInputStream in) throws IOException;
    }

    /** Takes one element. */
    @FunctionalInterface
    interface Element {
        void read(CodedInputStream in) throws IOException;
    }

    static void each(CodedInputStream in, Field field) throws IOException {
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            field.read(WireFormat.getTagFieldNumber(tag), in);
        }
    }

    /** Reads a message that lies in another one. */
    static void message(CodedInputStream in, Field field) throws IOException {
        if (WireFormat.getTagWireType(in.getLastTag()) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
            throw new IllegalArgumentException("a field has the wrong kind");
        }
        int end = in.pushLimit(in.readRawVarint32());
        each(in, field);
        in.popLimit(end);
    }

    /** Reads of a message one field that is a message, too. */
    static void only(CodedInputStream in, int number, Field field) throws IOException {
        message(in, (each, outer) -> {
            if (each == number) {
                message(outer, field);
            } else {
                outer.skipField(outer.getLastTag());
            }
        });
    }

    /** Reads numbers, one by one or all in one piece. */
    static void repeated(CodedInputStream in, int wireType, Element element) throws IOException {
        if (WireFormat.getTagWireType(in.getLastTag()) == wireType) {
            element.read(in);
            return;
        }
        int end = in.pushLimit(in.readRawVarint32());
        while (!in.isAtEnd()) {
            element.read(in);
        }
        in.popLimit(end);
    }
}
