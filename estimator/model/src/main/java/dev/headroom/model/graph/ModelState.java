package dev.headroom.model.graph;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The tensors that a model holds, whether or not its graph reads them.
 *
 * @param modules dotted paths of all modules in registration order, a parent before its children; the first is "", the
 *     model itself
 * @param tensors parameters, buffers and constants by qualified name: module by module in that order, a module's
 *     parameters before its buffers before its constants; every alias is listed
 * @param notes what had to be assumed because the file does not say it, one line each
 * @param loaded whether a library loads the model, before the script does anything with it
 * @param additions how what is added to the loaded model is made, in order
 */
public record ModelState(
        List<String> modules,
        Map<String, HeldTensor> tensors,
        List<String> notes,
        boolean loaded,
        List<Addition> additions) {
    /** @throws dev.headroom.model.error.UserInputException for a tensor that no memory can hold */
    public ModelState {
        modules = List.copyOf(modules);
        tensors = Collections.unmodifiableMap(new LinkedHashMap<>(tensors));
        // Archives describe the state in tables beside the graph, whose sizes may be others than the graph's.
        tensors.forEach((name, held) -> GraphSizes.check(name, held.meta(), Map.of()));
        notes = List.copyOf(notes);
        additions = List.copyOf(additions);
    }

    /** Of a model that the script builds. */
    public ModelState(List<String> modules, Map<String, HeldTensor> tensors, List<String> notes) {
        this(modules, tensors, notes, false, List.of());
    }

    /** The same of a model that a library loads. */
    public ModelState asLoaded() {
        return new ModelState(modules, tensors, notes, true, additions);
    }

    /** The same with other notes. */
    public ModelState withNotes(List<String> other) {
        return new ModelState(modules, tensors, other, loaded, additions);
    }

    /** The same with other tensors. */
    public ModelState withTensors(Map<String, HeldTensor> other) {
        return new ModelState(modules, other, notes, loaded, additions);
    }

    /**
     * A tensor that the model holds.
     *
     * @param meta sizes without symbols; {@code requiresGrad} is false for a frozen parameter
     * @param persistent whether it is part of {@code state_dict}; true for parameters
     * @param value the graph's input for it, or {@code null} if the graph has none
     * @param storage qualified name of the first tensor, in the order of {@link #tensors}, that lives in the same
     *     storage: its own name unless it is tied to, or a view of, an earlier one
     * @param ownType the type that it has whatever type the run gives to the model, as adapters and what belongs to
     *     quantised weights have; {@code null}: the one of {@code meta}, unless the run gives the model another
     * @param loadType the type that it is loaded in, where it is converted afterwards; {@code null}: its own
     * @param added whether it comes to a model that is on the device already, as adapters do
     */
    public record HeldTensor(
            Graph.InputKind kind,
            TensorMeta meta,
            boolean persistent,
            @Nullable String value,
            String storage,
            @Nullable DType ownType,
            @Nullable DType loadType,
            boolean added) {
        /** A tensor that has the model's type. */
        public HeldTensor(
                Graph.InputKind kind, TensorMeta meta, boolean persistent, @Nullable String value, String storage) {
            this(kind, meta, persistent, value, storage, null, null, false);
        }

        /** The value that the graph reads it by, of a tensor that it reads. */
        public String givenValue() {
            return Objects.requireNonNull(value, storage);
        }

        /**
         * Its type in a run.
         *
         * @param run what the run gives to all that is floating point, or {@code null}
         */
        public DType type(@Nullable DType run) {
            if (ownType != null) {
                return ownType;
            }
            return run != null && meta.dtype().isFloatingPoint() ? run : meta.dtype();
        }

        /** The same, which the graph reads under another name, over another storage. */
        public HeldTensor as(@Nullable String otherValue, String otherStorage) {
            return new HeldTensor(kind, meta, persistent, otherValue, otherStorage, ownType, loadType, added);
        }

        /** The same, trained or not. */
        public HeldTensor trained(boolean trained) {
            TensorMeta other =
                    new TensorMeta(meta.dtype(), meta.sizes(), meta.strides(), meta.storageOffset(), trained);
            return meta.requiresGrad() == trained
                    ? this
                    : new HeldTensor(kind, other, persistent, value, storage, ownType, loadType, added);
        }

        /** The same, which has a type of its own. */
        public HeldTensor of(DType type) {
            return new HeldTensor(kind, meta, persistent, value, storage, type, loadType, added);
        }

        /** The same, frozen, which is converted to a type of its own after it was loaded. */
        public HeldTensor convertedFrom(DType loaded, DType type) {
            return new HeldTensor(kind, meta.frozen(), persistent, value, storage, type, loaded, added);
        }

        /** The same, which comes later than the model. */
        public HeldTensor later() {
            return new HeldTensor(kind, meta, persistent, value, storage, ownType, loadType, true);
        }
    }

    /** The module that holds a tensor: all but the last part of its qualified name, "" for the model itself. */
    public static String owner(String qualifiedName) {
        int dot = qualifiedName.lastIndexOf('.');
        return dot < 0 ? "" : qualifiedName.substring(0, dot);
    }
}
