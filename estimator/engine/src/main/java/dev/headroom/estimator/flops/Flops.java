package dev.headroom.estimator.flops;

/**
 * Floating-point operations. The two kinds stay apart, because only the first is what PyTorch's counter counts
 * (torch/utils/flop_counter.py).
 *
 * @param products of matrix products, convolutions and attention: 2 a multiply-add, biases left out
 * @param elements of all other operators: one or few an element
 */
public record Flops(long products, long elements) {
    public static final Flops NONE = new Flops(0, 0);

    /** Both kinds together. */
    public long total() {
        return products + elements;
    }

    public Flops plus(Flops other) {
        return new Flops(products + other.products, elements + other.elements);
    }

    public Flops times(long factor) {
        return new Flops(products * factor, elements * factor);
    }
}
