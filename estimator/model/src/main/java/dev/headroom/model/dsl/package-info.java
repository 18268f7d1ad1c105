/**
 * Writes models in Java, for those that have no archive. A {@link dev.headroom.model.dsl.Layer} is what {@code nn.Module} is
 * to PyTorch users; {@link dev.headroom.model.dsl.Model} turns one into the graph that an importer would read.
 *
 * <pre>{@code
 * Graph graph = Model.of("classifier", Sequential.of(linear(784, 200), relu(), linear(200, 10)))
 *         .input("x", DType.FLOAT32, Model.BATCH, 784)
 *         .graph();
 * }</pre>
 */
package dev.headroom.model.dsl;
