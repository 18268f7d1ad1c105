import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Writes out how records compare and hash, in jars for the launcher: otherwise Java makes both from their components when
 * they are first called, at each start, which takes longer than all that a small prediction compares. Every class that is
 * changed is loaded and verified once. Hash codes stay what Java's are, so that sets and maps keep their order.
 *
 * <p>Arguments: the folder with the jars, the version that ends the names of Headroom's own, and folders with the
 * libraries that they need.
 */
public final class RecordMethods {
    private RecordMethods() {}

    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        List<String> changed = new ArrayList<>();
        List<URL> jars = new ArrayList<>();
        for (Path jar : jars(args[0])) {
            if (jar.toString().endsWith("-" + args[1] + ".jar")) {
                changed.addAll(rewrite(jar));
            }
            jars.add(jar.toUri().toURL());
        }
        for (String folder : List.of(args).subList(2, args.length)) {
            for (Path jar : jars(folder)) {
                jars.add(jar.toUri().toURL());
            }
        }
        try (URLClassLoader loader = new URLClassLoader(jars.toArray(URL[]::new))) {
            for (String name : changed) {
                // Java verifies a class before it tells of its methods.
                Class.forName(name.replace('/', '.'), false, loader).getDeclaredMethods();
            }
        }
    }

    private static List<Path> jars(String folder) throws IOException {
        List<Path> jars = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of(folder), "*.jar")) {
            all.forEach(jars::add);
        }
        return jars;
    }

    /** @return names of the classes that are others now */
    private static List<String> rewrite(Path jar) throws IOException {
        List<String> changed = new ArrayList<>();
        Path fresh = Files.createTempFile(jar.getParent(), "records", ".tmp");
        try (JarFile file = new JarFile(jar.toFile());
                OutputStream to = Files.newOutputStream(fresh);
                JarOutputStream out = new JarOutputStream(to)) {
            for (JarEntry entry : Collections.list(file.entries())) {
                try (InputStream in = file.getInputStream(entry)) {
                    byte[] bytes = in.readAllBytes();
                    byte[] written = entry.getName().endsWith(".class") ? writtenOut(bytes) : bytes;
                    if (written != bytes) {
                        changed.add(entry.getName().replaceFirst("\\.class$", ""));
                    }
                    out.putNextEntry(new JarEntry(entry.getName()));
                    out.write(written);
                    out.closeEntry();
                }
            }
        }
        Files.move(fresh, jar, StandardCopyOption.REPLACE_EXISTING);
        return changed;
    }

    /** The same array for a class that compares no records by way of Java. */
    private static byte[] writtenOut(byte[] code) {
        ClassReader in = new ClassReader(code);
        ClassWriter out = new ClassWriter(in, 0);
        Writing writing = new Writing(in.getClassName(), out);
        in.accept(writing, 0);
        return writing.methods.isEmpty() ? code : out.toByteArray();
    }

    /** Calls a method of the class where Java would have made one. */
    private static final class Writing extends ClassVisitor {
        private final String record;

        /** Fields of the components, by method. */
        private final Map<String, List<Handle>> methods = new LinkedHashMap<>();

        Writing(String record, ClassVisitor out) {
            super(Opcodes.ASM9, out);
            this.record = record;
        }

        @Override
        public MethodVisitor visitMethod(int access, String method, String desc, String sig, String... thrown) {
            return new MethodVisitor(api, super.visitMethod(access, method, desc, sig, thrown)) {
                @Override
                public void visitInvokeDynamicInsn(String call, String type, Handle by, Object... args) {
                    if (!by.getOwner().equals("java/lang/runtime/ObjectMethods") || call.equals("toString")) {
                        super.visitInvokeDynamicInsn(call, type, by, args);
                        return;
                    }
                    // The record and the names of its components come first.
                    List<Handle> fields = new ArrayList<>();
                    List.of(args).subList(2, args.length).forEach(field -> fields.add((Handle) field));
                    methods.put(call, fields);
                    visitMethodInsn(Opcodes.INVOKESTATIC, record, name(call), type, false);
                }
            };
        }

        @Override
        public void visitEnd() {
            methods.forEach((method, fields) -> {
                boolean equals = method.equals("equals");
                Type self = Type.getObjectType(record);
                String type = equals
                        ? Type.getMethodDescriptor(Type.BOOLEAN_TYPE, self, Type.getType(Object.class))
                        : Type.getMethodDescriptor(Type.INT_TYPE, self);
                int access = Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC;
                MethodVisitor code = cv.visitMethod(access, name(method), type, null, null);
                code.visitCode();
                if (equals) {
                    equals(fields, code);
                } else {
                    hashCode(fields, code);
                }
                code.visitMaxs(4, 2);
                code.visitEnd();
            });
            super.visitEnd();
        }

        private static String name(String method) {
            return method + "$$Record";
        }

        private void hashCode(List<Handle> fields, MethodVisitor code) {
            code.visitInsn(Opcodes.ICONST_0);
            for (Handle field : fields) {
                code.visitIntInsn(Opcodes.BIPUSH, 31);
                code.visitInsn(Opcodes.IMUL);
                load(field, 0, code);
                Type type = Type.getType(field.getDesc());
                String hash = isPrimitive(type)
                        ? Type.getMethodDescriptor(Type.INT_TYPE, type)
                        : "(Ljava/lang/Object;)I";
                code.visitMethodInsn(Opcodes.INVOKESTATIC, helper(type), "hashCode", hash, false);
                code.visitInsn(Opcodes.IADD);
            }
            code.visitInsn(Opcodes.IRETURN);
        }

        private void equals(List<Handle> fields, MethodVisitor code) {
            Label same = new Label();
            Label other = new Label();
            code.visitVarInsn(Opcodes.ALOAD, 0);
            code.visitVarInsn(Opcodes.ALOAD, 1);
            code.visitJumpInsn(Opcodes.IF_ACMPEQ, same);
            code.visitVarInsn(Opcodes.ALOAD, 1);
            code.visitTypeInsn(Opcodes.INSTANCEOF, record);
            code.visitJumpInsn(Opcodes.IFEQ, other);
            for (Handle field : fields) {
                load(field, 0, code);
                load(field, 1, code);
                Type type = Type.getType(field.getDesc());
                if (isPrimitive(type)) {
                    String compare = Type.getMethodDescriptor(Type.INT_TYPE, type, type);
                    code.visitMethodInsn(Opcodes.INVOKESTATIC, helper(type), "compare", compare, false);
                    code.visitJumpInsn(Opcodes.IFNE, other);
                } else {
                    String compare = "(Ljava/lang/Object;Ljava/lang/Object;)Z";
                    code.visitMethodInsn(Opcodes.INVOKESTATIC, helper(type), "equals", compare, false);
                    code.visitJumpInsn(Opcodes.IFEQ, other);
                }
            }
            code.visitLabel(same);
            code.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
            code.visitInsn(Opcodes.ICONST_1);
            code.visitInsn(Opcodes.IRETURN);
            code.visitLabel(other);
            code.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
            code.visitInsn(Opcodes.ICONST_0);
            code.visitInsn(Opcodes.IRETURN);
        }

        /** A component of the record itself, or of what it is compared to. */
        private void load(Handle field, int variable, MethodVisitor code) {
            code.visitVarInsn(Opcodes.ALOAD, variable);
            if (variable > 0) {
                code.visitTypeInsn(Opcodes.CHECKCAST, record);
            }
            code.visitFieldInsn(Opcodes.GETFIELD, record, field.getName(), field.getDesc());
        }

        private static boolean isPrimitive(Type type) {
            return type.getSort() < Type.ARRAY;
        }

        /** The class that compares and hashes values of a type. */
        private static String helper(Type type) {
            return switch (type.getSort()) {
                case Type.BOOLEAN -> "java/lang/Boolean";
                case Type.CHAR -> "java/lang/Character";
                case Type.BYTE -> "java/lang/Byte";
                case Type.SHORT -> "java/lang/Short";
                case Type.INT -> "java/lang/Integer";
                case Type.LONG -> "java/lang/Long";
                case Type.FLOAT -> "java/lang/Float";
                case Type.DOUBLE -> "java/lang/Double";
                default -> "java/util/Objects";
            };
        }
    }
}
