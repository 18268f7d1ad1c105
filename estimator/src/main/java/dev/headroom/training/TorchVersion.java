package dev.headroom.training;

public record TorchVersion(int major, int minor) {
    public static TorchVersion of(String v) {
        String[] p = v.split("[.]");
        return new TorchVersion(Integer.parseInt(p[0]), Integer.parseInt(p[1]));
    }

    public boolean foreachByDefault() {
        return major >= 2;
    }
}
