package dev.headroom.validation.generate;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;

/**
 * A module with its sizes: what it does to a batch of tensors is the class of {@code torch.nn} of the same name, or what
 * its comment says. {@code x} is the input, sizes are in elements, the batch comes first and is not counted.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "layer")
@JsonSubTypes({
    @JsonSubTypes.Type(value = Layer.Linear.class, name = "Linear"),
    @JsonSubTypes.Type(value = Layer.Conv2d.class, name = "Conv2d"),
    @JsonSubTypes.Type(value = Layer.ConvTranspose2d.class, name = "ConvTranspose2d"),
    @JsonSubTypes.Type(value = Layer.BatchNorm2d.class, name = "BatchNorm2d"),
    @JsonSubTypes.Type(value = Layer.GroupNorm.class, name = "GroupNorm"),
    @JsonSubTypes.Type(value = Layer.LayerNorm.class, name = "LayerNorm"),
    @JsonSubTypes.Type(value = Layer.Activate.class, name = "Activate"),
    @JsonSubTypes.Type(value = Layer.Dropout.class, name = "Dropout"),
    @JsonSubTypes.Type(value = Layer.MaxPool2d.class, name = "MaxPool2d"),
    @JsonSubTypes.Type(value = Layer.AvgPool2d.class, name = "AvgPool2d"),
    @JsonSubTypes.Type(value = Layer.AdaptiveAvgPool2d.class, name = "AdaptiveAvgPool2d"),
    @JsonSubTypes.Type(value = Layer.Upsample.class, name = "Upsample"),
    @JsonSubTypes.Type(value = Layer.Softmax.class, name = "Softmax"),
    @JsonSubTypes.Type(value = Layer.Flatten.class, name = "Flatten"),
    @JsonSubTypes.Type(value = Layer.Tokens.class, name = "Tokens"),
    @JsonSubTypes.Type(value = Layer.Image.class, name = "Image"),
    @JsonSubTypes.Type(value = Layer.Mean.class, name = "Mean"),
    @JsonSubTypes.Type(value = Layer.Select.class, name = "Select"),
    @JsonSubTypes.Type(value = Layer.Crop.class, name = "Crop"),
    @JsonSubTypes.Type(value = Layer.Spread.class, name = "Spread"),
    @JsonSubTypes.Type(value = Layer.Halves.class, name = "Halves"),
    @JsonSubTypes.Type(value = Layer.Gate.class, name = "Gate"),
    @JsonSubTypes.Type(value = Layer.Chain.class, name = "Chain"),
    @JsonSubTypes.Type(value = Layer.Repeat.class, name = "Repeat"),
    @JsonSubTypes.Type(value = Layer.Residual.class, name = "Residual"),
    @JsonSubTypes.Type(value = Layer.Branches.class, name = "Branches"),
    @JsonSubTypes.Type(value = Layer.Attention.class, name = "Attention"),
    @JsonSubTypes.Type(value = Layer.Recurrent.class, name = "Recurrent"),
    @JsonSubTypes.Type(value = Layer.LanguageModel.class, name = "LanguageModel")
})
public sealed interface Layer {
    record Linear(long in, long out, boolean bias) implements Layer {}

    record Conv2d(long in, long out, long kernel, long stride, long padding, long dilation, long groups, boolean bias)
            implements Layer {}

    /** @param extra the output padding */
    record ConvTranspose2d(
            long in, long out, long kernel, long stride, long padding, long extra, long groups, boolean bias)
            implements Layer {}

    record BatchNorm2d(long channels) implements Layer {}

    record GroupNorm(long groups, long channels) implements Layer {}

    record LayerNorm(long width) implements Layer {}

    record Activate(Activation function, boolean inPlace) implements Layer {}

    record Dropout(double p) implements Layer {}

    record MaxPool2d(long kernel, long stride, long padding) implements Layer {}

    record AvgPool2d(long kernel, long stride, long padding) implements Layer {}

    record AdaptiveAvgPool2d(long height, long width) implements Layer {}

    record Upsample(long factor, boolean bilinear) implements Layer {}

    /** Over the last dimension. */
    record Softmax() implements Layer {}

    record Flatten() implements Layer {}

    /** An image as a sequence of pixels: {@code x.flatten(2).transpose(1, 2)}. */
    record Tokens() implements Layer {}

    /** The opposite: {@code x.transpose(1, 2).reshape(-1, channels, height, width)}. */
    record Image(long channels, long height, long width) implements Layer {}

    /** {@code x.mean(1)}. */
    record Mean() implements Layer {}

    /** {@code x.select(1, index)}. */
    record Select(long index) implements Layer {}

    /** {@code x[:, :length]}. */
    record Crop(long length) implements Layer {}

    /** {@code x.unsqueeze(1).expand(-1, copies, -1)}. */
    record Spread(long copies) implements Layer {}

    /** {@code a, b = x.chunk(2, -1)}, then {@code a * torch.sigmoid(b)}. */
    record Halves() implements Layer {}

    /** {@code x * torch.sigmoid(body(x))}. */
    record Gate(Layer body) implements Layer {}

    /** {@code nn.Sequential}. */
    record Chain(List<Layer> layers) implements Layer {}

    /** The same module so many times in a row, with one set of parameters. */
    record Repeat(Layer body, int times) implements Layer {}

    /**
     * {@code end(shortcut(x) + body(x))}; without shortcut or end ({@code null}) that is left out.
     *
     * @param inPlace the sum is written into the body's result
     */
    record Residual(Layer body, Layer shortcut, Layer end, boolean inPlace) implements Layer {}

    /**
     * Several modules on one input.
     *
     * @param dim along which their results are joined, or {@code null}: they are added
     */
    record Branches(Integer dim, List<Layer> branches) implements Layer {}

    /**
     * Self-attention over {@code [batch, length, width]} with a projection before and after it.
     *
     * @param fused {@code F.scaled_dot_product_attention}, else two products with softmax and dropout in between
     * @param packed one projection for queries, keys and values
     * @param causal only of the fused one
     */
    record Attention(long length, long width, long heads, boolean fused, boolean packed, boolean causal, double dropout)
            implements Layer {}

    /**
     * {@code nn.GRUCell} over the positions of {@code [batch, length, in]}; its state begins as {@code tanh} of a linear
     * layer of the first one. Stacks the states, or returns the last.
     */
    record Recurrent(long in, long hidden, long length, boolean stacked) implements Layer {}

    /**
     * {@code head(body(embedding(ids) + position))}.
     *
     * @param tied the head uses the embedding's weight
     * @param loss the model is given labels, too, and returns its cross-entropy instead of the scores
     */
    record LanguageModel(long vocabulary, long length, long width, Layer body, boolean tied, boolean loss)
            implements Layer {}
}
