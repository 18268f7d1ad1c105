package dev.headroom.executor.measure;

import dev.headroom.model.error.Suggestion;
import dev.headroom.model.error.UserInputException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds a backend by name. */
public final class Backends {
    private Backends() {}

    /**
     * The named one, or by default a GPU if this machine has one, else the host.
     *
     * @throws UserInputException for an unknown name
     */
    public static BackendProvider choose(@Nullable String name) {
        List<BackendProvider> all = BackendProvider.all();
        if (name == null) {
            return all.stream()
                    .filter(p -> p.isDevice() && p.available())
                    .findFirst()
                    .orElseGet(HostProvider::new);
        }
        List<String> names = all.stream().map(BackendProvider::name).sorted().toList();
        return all.stream().filter(p -> p.name().equals(name)).findFirst().orElseThrow(() -> {
            String hint = Suggestion.of(name, names);
            return new UserInputException(
                    "'" + name + "' is not known" + (hint.isEmpty() ? "; it takes " + String.join(", ", names) : hint));
        });
    }
}
