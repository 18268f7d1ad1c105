package dev.headroom.app.sweep;

import dev.headroom.app.command.Main;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Tells one sweep from another: its rows, and which Headroom answers them. */
final class SweepIdentity {
    private SweepIdentity() {}

    /** The first line of its journal: a JSON object. */
    static String of(Scenarios scenarios) {
        try {
            MessageDigest sum = MessageDigest.getInstance("SHA-256");
            for (int i = 0; i < scenarios.size(); i++) {
                sum.update(scenarios.row(i).toString().getBytes(StandardCharsets.UTF_8));
            }
            String version = Main.class.getPackage().getImplementationVersion();
            return "{\"sweep\":\"" + HexFormat.of().formatHex(sum.digest()) + "\",\"headroom\":\""
                    + (version == null ? "unpacked" : version) + "\"}";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
