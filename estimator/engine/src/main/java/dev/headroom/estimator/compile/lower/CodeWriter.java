package dev.headroom.estimator.compile.lower;

import dev.headroom.model.compiled.CompiledCode;
import dev.headroom.model.compiled.Statement;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes kernels as statements: a buffer is made before its kernel, and freed behind its last reader. */
final class CodeWriter {
    /** Calls that write into a buffer that was made for them. */
    private static final Set<String> WRITES_OUT = Set.of("aten.mm", "aten.addmm", "aten.bmm");

    private final List<List<Work>> kernels;
    private final List<@Nullable Buffer> returned;
    private final Map<Buffer, Integer> last = new HashMap<>();
    private final Set<Buffer> kept = new HashSet<>();

    /** Buffers that something was added into, which later kernels know under another name. */
    private final Set<Buffer> changed = new HashSet<>();

    private final KernelNames names = new KernelNames();
    private final List<Statement> out = new ArrayList<>();
    private final Map<String, TensorMeta> called = new HashMap<>();

    CodeWriter(List<List<Work>> kernels, List<@Nullable Buffer> returned) {
        this.kernels = kernels;
        this.returned = returned;
        for (int k = 0; k < kernels.size(); k++) {
            for (Work w : kernels.get(k)) {
                for (Buffer b : w.reads.keySet()) {
                    last.put(b, k);
                }
                if (w.shape == Work.Shape.CHANGE) {
                    changed.add(w.reads.keySet().iterator().next());
                }
            }
        }
        returned.stream().filter(b -> b != null).forEach(kept::add);
    }

    /** @param arguments in the order in which they are given */
    CompiledCode write(List<Buffer> arguments) {
        List<String> given = arguments.stream().map(Buffer::name).toList();
        Map<String, TensorMeta> inputs = new HashMap<>();
        arguments.forEach(a -> inputs.put(a.name(), a.meta()));
        out.add(new Statement.Inputs(given));
        for (int k = 0; k < kernels.size(); k++) {
            kernel(k);
        }
        finish();
        return new CompiledCode(out, given, inputs, called);
    }

    private void kernel(int k) {
        List<Work> works = kernels.get(k);
        Set<Buffer> dying = new LinkedHashSet<>();
        for (Work w : works) {
            for (Buffer b : w.reads.keySet()) {
                Integer end = last.get(b);
                if (end != null && end == k && !kept.contains(b)) {
                    dying.add(b);
                }
            }
        }
        List<Buffer> made = Fusion.makes(works);
        dying.removeAll(made);
        Work first = works.get(0);
        if (first.shape == Work.Shape.CALL && !first.function.equals("aten.cumsum")) {
            call(first);
        } else {
            generated(k, works, made, dying);
        }
        dying.forEach(b -> out.add(new Statement.Free(List.of(b.name()))));
        for (Buffer b : made) {
            boolean unread = last.getOrDefault(b, -1) <= k && !kept.contains(b);
            if (unread && first.shape == Work.Shape.CALL) {
                out.add(new Statement.Free(List.of(b.name())));
            }
        }
    }

    /** A kernel of Inductor's own, behind the buffers that it is given for what it makes. */
    private void generated(int k, List<Work> works, List<Buffer> made, Set<Buffer> dying) {
        Set<Buffer> read = new LinkedHashSet<>();
        works.forEach(w -> read.addAll(w.reads.keySet()));
        read.removeAll(made);
        List<Buffer> over = new ArrayList<>();
        List<Buffer> results = new ArrayList<>();
        for (Buffer b : made) {
            // What only this kernel reads never lies in memory.
            if (kept.contains(b) || last.getOrDefault(b, -1) > k) {
                Buffer old = allocate(b, works, dying);
                (old == null ? results : over).add(b);
                read.remove(old);
            }
        }
        out.add(new Statement.Kernel(
                names.of(works),
                over.stream().map(Buffer::name).toList(),
                Stream.concat(read.stream(), results.stream()).map(Buffer::name).toList()));
    }

    /**
     * Over an operand that dies here, or anew ({@code decide_inplace_update}).
     *
     * @return the operand; {@code null} for none
     */
    private @Nullable Buffer allocate(Buffer b, List<Work> works, Set<Buffer> dying) {
        for (Buffer old : dying) {
            boolean same =
                    old.bytes() == b.bytes() && old.meta().dtype() == b.meta().dtype();
            if (same
                    && isLastRead(old, b, works)
                    && !changed.contains(old)
                    && (!old.given() || old.donated())
                    && straight(old, works)) {
                out.add(new Statement.Alias(b.name(), old.name()));
                out.add(new Statement.Free(List.of(old.name())));
                dying.remove(old);
                return old;
            }
        }
        out.add(new Statement.Allocate(b.name(), b.meta(), false, "fused " + works.get(works.size() - 1).function));
        return null;
    }

    /** Whether what makes a buffer is the last of its kernel that reads another one. */
    private static boolean isLastRead(Buffer old, Buffer made, List<Work> works) {
        int maker = works.stream()
                .filter(w -> w.makes.contains(made))
                .mapToInt(w -> w.order)
                .findFirst()
                .orElse(-1);
        return works.stream()
                        .filter(w -> w.reads.containsKey(old))
                        .mapToInt(w -> w.order)
                        .max()
                        .orElse(-1)
                == maker;
    }

    private static boolean straight(Buffer b, List<Work> works) {
        return works.stream().allMatch(w -> w.reads.getOrDefault(b, true));
    }

    private void call(Work work) {
        List<String> operands = work.operands.stream().map(Buffer::name).toList();
        String function = work.function;
        if (WRITES_OUT.contains(function)) {
            Buffer made = work.makes.get(0);
            String name = function.replace("aten.", "extern_kernels.");
            out.add(new Statement.Allocate(made.name(), made.meta(), false, name));
            out.add(new Statement.Extern(name, operands));
            return;
        }
        if (function.equals("aten.convolution")) {
            called.put(work.makes.get(0).name(), work.makes.get(0).meta());
            out.add(new Statement.Call(work.makes.get(0).name(), "extern_kernels.convolution", operands));
            return;
        }
        String call = work.makes.get(0).name() + "_call";
        work.makes.forEach(b -> called.put(b.name(), b.meta()));
        out.add(new Statement.Call(call, "torch.ops." + function + ".default", operands));
        for (int i = 0; i < work.makes.size(); i++) {
            out.add(new Statement.Item(work.makes.get(i).name(), call, i));
        }
        out.add(new Statement.Free(List.of(call)));
    }

    private void finish() {
        Set<String> taken = new HashSet<>();
        List<@Nullable String> results = new ArrayList<>();
        for (Buffer b : returned) {
            if (b == null) {
                results.add(null);
                continue;
            }
            String name = b.name();
            for (int i = 1; !taken.add(name); i++) {
                name = b.name() + "_" + i;
            }
            if (!name.equals(b.name())) {
                out.add(new Statement.Alias(name, b.name()));
            }
            results.add(name);
        }
        out.add(new Statement.Return(results));
    }
}
