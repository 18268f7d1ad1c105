/**
 * Models written in Java, for those that have no archive. A {@link Layer} is what {@code nn.Module} is to PyTorch
 * users; {@link Layers} makes the ones of {@code torch.nn}; {@link Model} turns one into the graph that an importer
 * would read.
 *
 * <pre>{@code
 * Graph graph = Model.of("classifier", Sequential.of(linear(784, 200), relu(), linear(200, 10)))
 *         .input("x", DType.FLOAT32, Model.BATCH, 784)
 *         .graph();
 * }</pre>
 */
@NullMarked
package dev.headroom.model.dsl;

import org.jspecify.annotations.NullMarked;
