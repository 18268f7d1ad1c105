package dev.headroom.app.command;

import java.lang.module.ModuleDescriptor;
import picocli.CommandLine.IVersionProvider;

/** The version in the jar's manifest, or of the module that a runtime was linked with. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String packaged = Version.class.getPackage().getImplementationVersion();
        ModuleDescriptor module = Version.class.getModule().getDescriptor();
        String version = packaged != null || module == null
                ? packaged
                : module.rawVersion().orElse(null);
        return new String[] {"headroom " + (version == null ? "(not packaged)" : version)};
    }
}
