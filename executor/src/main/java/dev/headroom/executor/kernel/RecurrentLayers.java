package dev.headroom.executor.kernel;

import dev.headroom.executor.kernel.RecurrentKernels.Cell;

/**
 * Layers of a recurrent network. A part is one direction of one layer; parts are numbered layer by layer, forward
 * before reverse. The weights of all parts lie in one buffer: the parts' matrices (of the input, then of the state),
 * row-major with a row for each gate of each unit, then the parts' biases likewise, whether the module has them or
 * not (aten/src/ATen/native/cudnn/RNN.cpp, get_parameters).
 *
 * @param input elements of a step's input
 * @param hidden elements of a state
 * @param count layers on top of each other
 */
public record RecurrentLayers(Cell cell, long input, long hidden, int count, boolean bidirectional) {
    public int directions() {
        return bidirectional ? 2 : 1;
    }

    public int parts() {
        return count * directions();
    }

    /** Elements that a part gets at each step. */
    public long width(int part) {
        return part < directions() ? input : directions() * hidden;
    }

    /** Rows of a matrix: elements of a bias. */
    public long rows() {
        return cell.gates() * hidden;
    }

    /** First element of a part's matrix. */
    public long matrix(int part, boolean ofState) {
        long at = 0;
        for (int p = 0; p < part; p++) {
            at += rows() * (width(p) + hidden);
        }
        return ofState ? at + rows() * width(part) : at;
    }

    /** First element of a part's bias. */
    public long bias(int part, boolean ofState) {
        return matrix(parts(), false) + rows() * (2L * part + (ofState ? 1 : 0));
    }

    /** Elements of the buffer. */
    public long weights() {
        return bias(parts(), false);
    }

    /** First element of a module's parameter, in the module's order: matrices of a part, then its biases. */
    public long parameter(int number, boolean hasBiases) {
        int each = hasBiases ? 4 : 2;
        boolean ofState = number % 2 == 1;
        return number % each < 2 ? matrix(number / each, ofState) : bias(number / each, ofState);
    }
}
