import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

/**
 * Copies jars of libraries compiled for Java 5 for the launcher, with stack maps: Java 25's cache leaves out classes
 * that have none, and each start would read and verify them.
 *
 * <p>Arguments: the folder to write to, then jars.
 */
public final class StackMaps {
    public static void main(String[] args) throws IOException {
        Path target = Files.createDirectories(Path.of(args[0]));
        for (int i = 1; i < args.length; i++) {
            Path jar = Path.of(args[i]);
            try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()})) {
                copy(jar, target.resolve(jar.getFileName()), loader);
            }
        }
    }

    private static void copy(Path jar, Path copy, ClassLoader loader) throws IOException {
        try (JarFile file = new JarFile(jar.toFile());
                OutputStream to = Files.newOutputStream(copy);
                JarOutputStream out = new JarOutputStream(to)) {
            for (JarEntry entry : Collections.list(file.entries())) {
                try (InputStream in = file.getInputStream(entry)) {
                    byte[] bytes = in.readAllBytes();
                    out.putNextEntry(new JarEntry(entry.getName()));
                    out.write(entry.getName().endsWith(".class") ? withStackMaps(bytes, loader) : bytes);
                    out.closeEntry();
                }
            }
        }
    }

    /** A class for Java 5 as one for Java 8; any other as it is. */
    private static byte[] withStackMaps(byte[] code, ClassLoader loader) {
        ClassReader in = new ClassReader(code);
        if (in.readShort(6) >= Opcodes.V1_6) {
            return code;
        }
        ClassWriter out = new ClassWriter(ClassWriter.COMPUTE_FRAMES) {
            @Override
            protected ClassLoader getClassLoader() {
                return loader;
            }
        };
        ClassVisitor newer = new ClassVisitor(Opcodes.ASM9, out) {
            @Override
            public void visit(int v, int access, String name, String signature, String parent, String... interfaces) {
                super.visit(Opcodes.V1_8, access, name, signature, parent, interfaces);
            }
        };
        in.accept(newer, 0);
        return out.toByteArray();
    }
}
