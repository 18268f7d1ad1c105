package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Optional;

/**
 * Rules for the convolutions of one compute capability, element type and layout: trees find the plan's class, whose
 * formula gives the bytes.
 */
final class WorkspaceRules {
    private static final int NO_UNIT = 255;

    /** A class of plans: one base and some units of {@link WorkspaceTerms}. */
    private record PlanClass(int base, int unit, int count) {
        long bytes(ConvolutionShape shape) {
            long bytes = WorkspaceTerms.bases(shape)[base];
            return unit == NO_UNIT ? bytes : bytes + count * WorkspaceTerms.units(shape)[unit];
        }
    }

    private record Direction(PlanClass[] classes, Forest forest) {
        PlanClass choose(float[] description) {
            return classes[forest.outcome(description)];
        }
    }

    private final Direction[] directions;

    private WorkspaceRules(DataInputStream in) throws IOException {
        directions = new Direction[ConvolutionProblem.Direction.values().length];
        for (int i = 0; i < directions.length; i++) {
            directions[i] = direction(in);
        }
    }

    /** The rules of a file, such as {@code 75-fp32-nchw} for compute capability 7.5, if it is there. */
    static Optional<WorkspaceRules> load(String rules) {
        return RuleFile.find("rules/" + rules + ".gz", WorkspaceRules::new);
    }

    private static Direction direction(DataInputStream in) throws IOException {
        PlanClass[] classes = new PlanClass[in.readUnsignedShort()];
        for (int i = 0; i < classes.length; i++) {
            classes[i] = new PlanClass(in.readUnsignedByte(), in.readUnsignedByte(), in.readUnsignedShort());
        }
        return new Direction(classes, Forest.read(in));
    }

    /** Bytes of the workspace of the first plan. */
    long bytes(ConvolutionProblem.Direction direction, ConvolutionShape shape) {
        return directions[direction.ordinal()]
                .choose(ConvolutionFeatures.of(shape))
                .bytes(shape);
    }

    /** Bytes of every class of a direction, for a convolution. */
    long[] formulas(ConvolutionProblem.Direction direction, ConvolutionShape shape) {
        PlanClass[] classes = directions[direction.ordinal()].classes();
        long[] out = new long[classes.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = classes[i].bytes(shape);
        }
        return out;
    }
}
