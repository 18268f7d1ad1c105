import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
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
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.GeneratorAdapter;
import org.objectweb.asm.commons.Method;

/**
 * Copies jars for the launcher, with classes in place of lambdas: Java before 25 links each lambda anew at each start,
 * and a start comes by 1,600 of them. Tests run the jars as they are; every class made here is loaded and verified once.
 *
 * <p>Arguments: the folder to write to, the version that ends the names of the jars, and folders with them and with the
 * libraries that they need.
 */
public final class LambdaClasses {
    private static final String MARK = "$$Lambda";

    private final Map<String, byte[]> classes = new LinkedHashMap<>();
    private final Map<String, byte[]> made = new LinkedHashMap<>();

    /** The classes made for a class and those in it: nest mates see what they see. */
    private final Map<String, List<String>> mates = new HashMap<>();

    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        Path target = Files.createDirectories(Path.of(args[0]));
        List<LambdaClasses> own = new ArrayList<>();
        List<URL> copies = new ArrayList<>();
        List<URL> libraries = new ArrayList<>();
        for (String folder : List.of(args).subList(2, args.length)) {
            try (DirectoryStream<Path> jars = Files.newDirectoryStream(Path.of(folder), "*.jar")) {
                for (Path jar : jars) {
                    libraries.add(jar.toUri().toURL());
                    if (jar.toString().endsWith("-" + args[1] + ".jar")) {
                        Path copy = target.resolve(jar.getFileName());
                        own.add(new LambdaClasses());
                        own.get(own.size() - 1).copy(jar, copy);
                        copies.add(copy.toUri().toURL());
                    }
                }
            }
        }
        copies.addAll(libraries);
        try (URLClassLoader loader = new URLClassLoader(copies.toArray(URL[]::new))) {
            for (LambdaClasses of : own) {
                of.verify(loader);
            }
        }
    }

    private void copy(Path jar, Path copy) throws IOException {
        try (JarFile file = new JarFile(jar.toFile());
                OutputStream to = Files.newOutputStream(copy);
                JarOutputStream out = new JarOutputStream(to)) {
            for (JarEntry entry : Collections.list(file.entries())) {
                try (InputStream in = file.getInputStream(entry)) {
                    byte[] bytes = in.readAllBytes();
                    if (entry.getName().endsWith(".class")) {
                        classes.put(entry.getName().replaceFirst("\\.class$", ""), bytes);
                    } else {
                        put(out, entry.getName(), bytes);
                    }
                }
            }
            classes.replaceAll(this::replaced);
            mates.forEach((host, members) -> classes.computeIfPresent(host, (name, code) -> withMates(code, members)));
            classes.putAll(made);
            for (Map.Entry<String, byte[]> e : classes.entrySet()) {
                put(out, e.getKey() + ".class", e.getValue());
            }
        }
    }

    private static void put(JarOutputStream out, String name, byte[] bytes) throws IOException {
        out.putNextEntry(new JarEntry(name));
        out.write(bytes);
        out.closeEntry();
    }

    /** Java verifies a class when it initialises it; these do nothing then but make themselves. */
    private void verify(ClassLoader loader) throws ReflectiveOperationException {
        for (String name : made.keySet()) {
            Class<?> loaded = Class.forName(name.replace('/', '.'), true, loader);
            if (loaded.getNestHost() == loaded) {
                throw new IllegalStateException(name + " does not see what its lambda sees");
            }
        }
    }

    private byte[] replaced(String name, byte[] code) {
        ClassReader in = new ClassReader(code);
        ClassWriter out = new ClassWriter(in, 0);
        Replacing replacing = new Replacing(name, out);
        in.accept(replacing, 0);
        if (replacing.made.isEmpty()) {
            return code;
        }
        replacing.made.forEach((own, lambda) -> made.put(own, lambda.as(own, replacing.host)));
        mates.computeIfAbsent(replacing.host, host -> new ArrayList<>()).addAll(replacing.made.keySet());
        return out.toByteArray();
    }

    private static byte[] withMates(byte[] code, List<String> mates) {
        ClassWriter out = new ClassWriter(0);
        ClassVisitor adding = new ClassVisitor(Opcodes.ASM9, out) {
            @Override
            public void visitEnd() {
                mates.forEach(this::visitNestMember);
                super.visitEnd();
            }
        };
        new ClassReader(code).accept(adding, 0);
        return out.toByteArray();
    }

    /** Takes an object of a class where a lambda was linked. */
    private static final class Replacing extends ClassVisitor {
        private final String name;
        private final Map<String, Lambda> made = new LinkedHashMap<>();
        private String host;

        Replacing(String name, ClassVisitor out) {
            super(Opcodes.ASM9, out);
            this.name = name;
            this.host = name;
        }

        @Override
        public void visitNestHost(String nestHost) {
            host = nestHost;
            super.visitNestHost(nestHost);
        }

        @Override
        public MethodVisitor visitMethod(int access, String method, String desc, String sig, String... thrown) {
            return new MethodVisitor(api, super.visitMethod(access, method, desc, sig, thrown)) {
                @Override
                public void visitInvokeDynamicInsn(String call, String type, Handle by, Object... args) {
                    boolean plain = by.getOwner().equals("java/lang/invoke/LambdaMetafactory")
                            && by.getName().equals("metafactory");
                    if (!plain) {
                        super.visitInvokeDynamicInsn(call, type, by, args);
                        return;
                    }
                    Lambda lambda = new Lambda(call, type, (Type) args[0], (Handle) args[1], (Type) args[2]);
                    String own = name + MARK + made.size();
                    made.put(own, lambda);
                    if (lambda.captured().length == 0) {
                        visitFieldInsn(Opcodes.GETSTATIC, own, Lambda.ONLY, lambda.type().getDescriptor());
                    } else {
                        visitMethodInsn(Opcodes.INVOKESTATIC, own, Lambda.MAKE, type, false);
                    }
                }
            };
        }
    }

    /**
     * What {@code LambdaMetafactory} is told.
     *
     * @param name of the interface's method
     * @param call its arguments are captured, its result is the interface
     * @param erased the type of the interface's method
     * @param body is called
     * @param checked the type of the interface's method with its arguments put in
     */
    private record Lambda(String name, String call, Type erased, Handle body, Type checked) {
        static final String ONLY = "ONLY";
        static final String MAKE = "make";

        private static final Type OBJECT = Type.getType(Object.class);

        Type type() {
            return Type.getReturnType(call);
        }

        Type[] captured() {
            return Type.getArgumentTypes(call);
        }

        byte[] as(String own, String host) {
            ClassWriter out = new ClassWriter(ClassWriter.COMPUTE_MAXS);
            int access = Opcodes.ACC_FINAL | Opcodes.ACC_SUPER | Opcodes.ACC_SYNTHETIC;
            out.visit(Opcodes.V17, access, own, null, OBJECT.getInternalName(), new String[] {type().getInternalName()});
            out.visitNestHost(host);
            Type self = Type.getObjectType(own);
            for (int i = 0; i < captured().length; i++) {
                out.visitField(Opcodes.ACC_PRIVATE | Opcodes.ACC_FINAL, "c" + i, captured()[i].getDescriptor(), null, null);
            }
            Method make = new Method("<init>", Type.VOID_TYPE, captured());
            GeneratorAdapter code = new GeneratorAdapter(Opcodes.ACC_PRIVATE, make, null, null, out);
            code.loadThis();
            code.invokeConstructor(OBJECT, new Method("<init>", "()V"));
            for (int i = 0; i < captured().length; i++) {
                code.loadThis();
                code.loadArg(i);
                code.putField(self, "c" + i, captured()[i]);
            }
            end(code);
            boolean only = captured().length == 0;
            Method factory = only ? new Method("<clinit>", "()V") : new Method(MAKE, call);
            code = new GeneratorAdapter(Opcodes.ACC_STATIC, factory, null, null, out);
            code.newInstance(self);
            code.dup();
            code.loadArgs();
            code.invokeConstructor(self, make);
            if (only) {
                out.visitField(Opcodes.ACC_STATIC | Opcodes.ACC_FINAL, ONLY, type().getDescriptor(), null, null);
                code.putStatic(self, ONLY, type());
            }
            end(code);
            body(self, out);
            out.visitEnd();
            return out.toByteArray();
        }

        private static void end(GeneratorAdapter code) {
            code.returnValue();
            code.endMethod();
        }

        private void body(Type self, ClassWriter out) {
            Method method = new Method(name, erased.getDescriptor());
            GeneratorAdapter code = new GeneratorAdapter(Opcodes.ACC_PUBLIC, method, null, null, out);
            Type owner = Type.getObjectType(body.getOwner());
            boolean makes = body.getTag() == Opcodes.H_NEWINVOKESPECIAL;
            if (makes) {
                code.newInstance(owner);
                code.dup();
            }
            List<Type> wanted = new ArrayList<>();
            if (!makes && body.getTag() != Opcodes.H_INVOKESTATIC) {
                wanted.add(owner);
            }
            Collections.addAll(wanted, Type.getArgumentTypes(body.getDesc()));
            for (int i = 0; i < captured().length; i++) {
                code.loadThis();
                code.getField(self, "c" + i, captured()[i]);
            }
            for (int i = 0; i < erased.getArgumentTypes().length; i++) {
                code.loadArg(i);
                Type given = erased.getArgumentTypes()[i];
                Type precise = checked.getArgumentTypes()[i];
                if (!isPrimitive(precise) && !precise.equals(given)) {
                    code.checkCast(precise);
                }
                convert(code, precise, wanted.get(captured().length + i));
            }
            call(code);
            Type result = makes ? owner : Type.getReturnType(body.getDesc());
            if (erased.getReturnType().equals(Type.VOID_TYPE)) {
                if (result.getSize() == 2) {
                    code.pop2();
                } else if (result.getSize() == 1) {
                    code.pop();
                }
            } else {
                convert(code, result, checked.getReturnType());
            }
            end(code);
        }

        private void call(GeneratorAdapter code) {
            int how =
                    switch (body.getTag()) {
                        case Opcodes.H_INVOKESTATIC -> Opcodes.INVOKESTATIC;
                        case Opcodes.H_NEWINVOKESPECIAL -> Opcodes.INVOKESPECIAL;
                        case Opcodes.H_INVOKEINTERFACE -> Opcodes.INVOKEINTERFACE;
                        // A private method of a nest mate is called as any other.
                        default -> body.isInterface() ? Opcodes.INVOKEINTERFACE : Opcodes.INVOKEVIRTUAL;
                    };
            code.visitMethodInsn(how, body.getOwner(), body.getName(), body.getDesc(), body.isInterface());
        }

        /** Boxes, unboxes, widens or casts, as {@code LambdaMetafactory} does. */
        private static void convert(GeneratorAdapter code, Type from, Type to) {
            if (from.equals(to)) {
                return;
            }
            if (isPrimitive(from) && isPrimitive(to)) {
                code.cast(from, to);
            } else if (isPrimitive(from)) {
                code.valueOf(from);
            } else if (isPrimitive(to)) {
                code.unbox(to);
            } else if (!to.equals(OBJECT)) {
                code.checkCast(to);
            }
        }

        private static boolean isPrimitive(Type type) {
            return type.getSort() < Type.ARRAY;
        }
    }
}
