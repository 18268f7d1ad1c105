package dev.headroom.app.serve;

/** A request that gets no answer but a status and a line. */
final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    Refused(int status, String line) {
        super(line, null, false, false);
        this.status = status;
    }

    /** Of HTTP. */
    int status() {
        return status;
    }
}
