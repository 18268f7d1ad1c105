package dev.headroom.executor.kernel;

/**
 * Layers of a recurrent network. A part is one direction of one layer; parts are numbered layer by layer, forward
 * before reverse. The weights of all parts lie in one buffer: the parts' matrices (of the input, then of the state),
 * row-major with a row for each gate of each unit, then the parts' biases likewise, whether the module has them or
 * not (aten/src/ATen/native/cudnn/RNN.cpp, get_parameters).
 *
 * @param input elements of a step's input
 * @param hidden elements of a cell
 * @param output elements of a state: fewer than a cell has where an LSTM projects it, by a matrix that lies behind the
 *     part's others
 * @param count layers on top of each other
 */
public record RecurrentLayers(Cell cell, long input, long hidden, long output, int count, boolean bidirectional) {
    /** What a cell computes; the order is that of {@code cudnnRNNMode_t}. */
    public enum Cell {
        RELU(1, 1),
        TANH(1, 1),
        /** Gates: input, forget, candidate, output. */
        LSTM(4, 2),
        /** Gates: reset, update, candidate. */
        GRU(3, 2);

        private final int gates;
        private final int states;

        Cell(int gates, int states) {
            this.gates = gates;
            this.states = states;
        }

        /** Rows of the weights for each hidden unit. */
        public int gates() {
            return gates;
        }

        /**
         * What a training run keeps of a unit beside its gates: the output, and the cell or the candidate's inner
         * part.
         */
        int states() {
            return states;
        }
    }

    public int directions() {
        return bidirectional ? 2 : 1;
    }

    public int parts() {
        return count * directions();
    }

    /** Elements that a part gets at each step. */
    public long width(int part) {
        return part < directions() ? input : directions() * output;
    }

    /** Rows of a matrix: elements of a bias. */
    public long rows() {
        return cell.gates() * hidden;
    }

    /** Whether states are projections of what cells show. */
    public boolean projects() {
        return output != hidden;
    }

    /** First element of a part's matrix (output, hidden) that projects. */
    public long projection(int part) {
        return matrix(part, true) + rows() * output;
    }

    /** First element of a part's matrix. */
    public long matrix(int part, boolean ofState) {
        long at = 0;
        for (int p = 0; p < part; p++) {
            at += rows() * (width(p) + output) + (projects() ? output * hidden : 0);
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

    /** A module's parameters of each part. */
    public int parameters(boolean hasBiases) {
        return (hasBiases ? 4 : 2) + (projects() ? 1 : 0);
    }

    /** First element of a module's parameter, in the module's order: matrices of a part, its biases, its projection. */
    public long parameter(int number, boolean hasBiases) {
        int each = parameters(hasBiases);
        int part = number / each;
        int which = number % each;
        if (projects() && which == each - 1) {
            return projection(part);
        }
        boolean ofState = which % 2 == 1;
        return which < 2 ? matrix(part, ofState) : bias(part, ofState);
    }

    /** Sizes of a module's parameter. */
    public long[] sizes(int number, boolean hasBiases) {
        int each = parameters(hasBiases);
        int which = number % each;
        if (projects() && which == each - 1) {
            return new long[] {output, hidden};
        }
        return switch (which) {
            case 0 -> new long[] {rows(), width(number / each)};
            case 1 -> new long[] {rows(), output};
            default -> new long[] {rows()};
        };
    }
}
