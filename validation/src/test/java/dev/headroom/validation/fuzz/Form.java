package dev.headroom.validation.fuzz;

/** How a good file is changed. */
enum Form {
    ARCHIVE {
        @Override
        byte[] edited(byte[] seed, Program edits) {
            return ArchiveEdits.apply(seed, edits);
        }
    },
    JSON {
        @Override
        byte[] edited(byte[] seed, Program edits) {
            return JsonEdits.apply(seed, edits);
        }
    },
    REQUEST {
        @Override
        byte[] edited(byte[] seed, Program edits) {
            return RequestEdits.apply(seed, edits);
        }
    },
    ARGUMENTS {
        @Override
        byte[] edited(byte[] seed, Program edits) {
            return ArgumentEdits.apply(seed, edits);
        }
    },
    TEXT {
        @Override
        byte[] edited(byte[] seed, Program edits) {
            return TextEdits.apply(seed, edits);
        }
    },
    PROTOBUF {
        @Override
        byte[] edited(byte[] seed, Program edits) {
            return WireEdits.apply(seed, edits);
        }
    },
    PICKLE {
        @Override
        byte[] edited(byte[] seed, Program edits) {
            return PickleEdits.apply(seed, edits);
        }
    },
    SAFETENSORS {
        @Override
        byte[] edited(byte[] seed, Program edits) {
            return SafetensorsEdits.apply(seed, edits);
        }
    },
    BYTES {
        @Override
        byte[] edited(byte[] seed, Program edits) {
            return ByteEdits.apply(seed, edits);
        }
    };

    /** The file with some edits. */
    abstract byte[] edited(byte[] seed, Program edits);
}
