package dev.headroom.executor.op;

final class MatrixExamples {
    private MatrixExamples() {}

    static void add(Examples o) {
        o.of("aten.mm").tensor("self", 3, 4).tensor("mat2", 4, 2);
        o.of("aten.mm")
                .laidOut("self", new int[] {1, 0}, 3, 4)
                .tensor("mat2", 4, 2)
                .label("transposed");
        o.of("aten.addmm").tensor("self", 2).tensor("mat1", 3, 4).tensor("mat2", 4, 2);
        o.of("aten.linear").tensor("input", 3, 4).tensor("weight", 2, 4).tensor("bias", 2);
        o.of("aten.linear").tensor("input", 3, 4).tensor("weight", 2, 4).label("without bias");
    }
}
