import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.pitest.reloc.asm.ClassReader;
import org.pitest.reloc.asm.ClassVisitor;
import org.pitest.reloc.asm.ClassWriter;
import org.pitest.reloc.asm.Handle;
import org.pitest.reloc.asm.Label;
import org.pitest.reloc.asm.MethodVisitor;
import org.pitest.reloc.asm.Opcodes;
import org.pitest.reloc.asm.RecordComponentVisitor;

/** Notes which lines run, of classes whose name matches; takes the mark of records off all of Headroom's classes. */
public final class LineProbes implements ClassFileTransformer {
    private static final int MOST_LINES = 1 << 18;
    private static final boolean[] HITS = new boolean[MOST_LINES];

    private final String pattern;
    private final Map<String, Integer> numbers = new HashMap<>();

    LineProbes(String pattern) {
        this.pattern = pattern;
    }

    /** What a probe calls. */
    public static void hit(int line) {
        HITS[line] = true;
    }

    void forget() {
        java.util.Arrays.fill(HITS, false);
    }

    BitSet seen() {
        BitSet out = new BitSet();
        for (int i = 0; i < HITS.length; i++) {
            out.set(i, HITS[i]);
        }
        return out;
    }

    synchronized int number(String name, int line) {
        return numbers.computeIfAbsent(name + ":" + line, unused -> numbers.size());
    }

    @Override
    public byte[] transform(ClassLoader loader, String path, Class<?> redefined, ProtectionDomain domain, byte[] code) {
        if (redefined != null || path == null || !path.startsWith("dev/headroom/")) {
            return null;
        }
        String name = path.replace('/', '.');
        return name.matches(pattern) ? probed(name, withoutRecord(code)) : withoutRecord(code);
    }

    /** Java 17 breaks classes with a Record attribute when it redefines them (PIT reports RUN_ERROR there). */
    static byte[] withoutRecord(byte[] code) {
        ClassWriter out = new ClassWriter(0);
        new ClassReader(code).accept(
                new ClassVisitor(Opcodes.ASM9, out) {
                    @Override
                    public void visit(
                            int version, int access, String name, String signature, String parent, String[] interfaces) {
                        super.visit(version, access & ~Opcodes.ACC_RECORD, name, signature, parent, interfaces);
                    }

                    @Override
                    public RecordComponentVisitor visitRecordComponent(String name, String type, String signature) {
                        return null;
                    }
                },
                0);
        return out.toByteArray();
    }

    private byte[] probed(String name, byte[] code) {
        ClassWriter out = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        new ClassReader(code).accept(
                new ClassVisitor(Opcodes.ASM9, out) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String method, String type, String signature, String[] exceptions) {
                        return new Probing(name, super.visitMethod(access, method, type, signature, exceptions));
                    }
                },
                0);
        return out.toByteArray();
    }

    /** Puts a probe before the first instruction of each line; after it where that is NEW, which frames point at. */
    private final class Probing extends MethodVisitor {
        private final String name;
        private int pending = -1;

        Probing(String name, MethodVisitor to) {
            super(Opcodes.ASM9, to);
            this.name = name;
        }

        private void probe() {
            if (pending >= 0) {
                int line = pending;
                pending = -1;
                super.visitLdcInsn(line);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, "LineProbes", "hit", "(I)V", false);
            }
        }

        @Override
        public void visitLineNumber(int line, Label start) {
            super.visitLineNumber(line, start);
            pending = number(name, line);
        }

        @Override
        public void visitInsn(int code) {
            probe();
            super.visitInsn(code);
        }

        @Override
        public void visitIntInsn(int code, int operand) {
            probe();
            super.visitIntInsn(code, operand);
        }

        @Override
        public void visitVarInsn(int code, int variable) {
            probe();
            super.visitVarInsn(code, variable);
        }

        @Override
        public void visitTypeInsn(int code, String type) {
            if (code == Opcodes.NEW) {
                super.visitTypeInsn(code, type);
                probe();
            } else {
                probe();
                super.visitTypeInsn(code, type);
            }
        }

        @Override
        public void visitFieldInsn(int code, String owner, String field, String type) {
            probe();
            super.visitFieldInsn(code, owner, field, type);
        }

        @Override
        public void visitMethodInsn(int code, String owner, String method, String type, boolean isInterface) {
            probe();
            super.visitMethodInsn(code, owner, method, type, isInterface);
        }

        @Override
        public void visitInvokeDynamicInsn(String method, String type, Handle bootstrap, Object... arguments) {
            probe();
            super.visitInvokeDynamicInsn(method, type, bootstrap, arguments);
        }

        @Override
        public void visitJumpInsn(int code, Label to) {
            probe();
            super.visitJumpInsn(code, to);
        }

        @Override
        public void visitLdcInsn(Object value) {
            probe();
            super.visitLdcInsn(value);
        }

        @Override
        public void visitIincInsn(int variable, int by) {
            probe();
            super.visitIincInsn(variable, by);
        }

        @Override
        public void visitTableSwitchInsn(int least, int most, Label otherwise, Label... labels) {
            probe();
            super.visitTableSwitchInsn(least, most, otherwise, labels);
        }

        @Override
        public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
            probe();
            super.visitLookupSwitchInsn(otherwise, keys, labels);
        }

        @Override
        public void visitMultiANewArrayInsn(String type, int dimensions) {
            probe();
            super.visitMultiANewArrayInsn(type, dimensions);
        }
    }
}
