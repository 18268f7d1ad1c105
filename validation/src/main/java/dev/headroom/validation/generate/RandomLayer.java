package dev.headroom.validation.generate;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A module with its sizes: what it does to a batch of tensors is the class of {@code torch.nn} of the same name, or
 * what its comment says. {@code x} is the input, sizes are in elements, the batch comes first and is not counted.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "layer")
@JsonSubTypes({
    @JsonSubTypes.Type(value = RandomLayer.Linear.class, name = "Linear"),
    @JsonSubTypes.Type(value = RandomLayer.Conv2d.class, name = "Conv2d"),
    @JsonSubTypes.Type(value = RandomLayer.ConvTranspose2d.class, name = "ConvTranspose2d"),
    @JsonSubTypes.Type(value = RandomLayer.BatchNorm2d.class, name = "BatchNorm2d"),
    @JsonSubTypes.Type(value = RandomLayer.GroupNorm.class, name = "GroupNorm"),
    @JsonSubTypes.Type(value = RandomLayer.LayerNorm.class, name = "LayerNorm"),
    @JsonSubTypes.Type(value = RandomLayer.Activate.class, name = "Activate"),
    @JsonSubTypes.Type(value = RandomLayer.Dropout.class, name = "Dropout"),
    @JsonSubTypes.Type(value = RandomLayer.MaxPool2d.class, name = "MaxPool2d"),
    @JsonSubTypes.Type(value = RandomLayer.AvgPool2d.class, name = "AvgPool2d"),
    @JsonSubTypes.Type(value = RandomLayer.AdaptiveAvgPool2d.class, name = "AdaptiveAvgPool2d"),
    @JsonSubTypes.Type(value = RandomLayer.Upsample.class, name = "Upsample"),
    @JsonSubTypes.Type(value = RandomLayer.Softmax.class, name = "Softmax"),
    @JsonSubTypes.Type(value = RandomLayer.Flatten.class, name = "Flatten"),
    @JsonSubTypes.Type(value = RandomLayer.Tokens.class, name = "Tokens"),
    @JsonSubTypes.Type(value = RandomLayer.Image.class, name = "Image"),
    @JsonSubTypes.Type(value = RandomLayer.Mean.class, name = "Mean"),
    @JsonSubTypes.Type(value = RandomLayer.Select.class, name = "Select"),
    @JsonSubTypes.Type(value = RandomLayer.Crop.class, name = "Crop"),
    @JsonSubTypes.Type(value = RandomLayer.Spread.class, name = "Spread"),
    @JsonSubTypes.Type(value = RandomLayer.Halves.class, name = "Halves"),
    @JsonSubTypes.Type(value = RandomLayer.Gate.class, name = "Gate"),
    @JsonSubTypes.Type(value = RandomLayer.Chain.class, name = "Chain"),
    @JsonSubTypes.Type(value = RandomLayer.Repeat.class, name = "Repeat"),
    @JsonSubTypes.Type(value = RandomLayer.Residual.class, name = "Residual"),
    @JsonSubTypes.Type(value = RandomLayer.Branches.class, name = "Branches"),
    @JsonSubTypes.Type(value = RandomLayer.Attention.class, name = "Attention"),
    @JsonSubTypes.Type(value = RandomLayer.Recurrent.class, name = "Recurrent"),
    @JsonSubTypes.Type(value = RandomLayer.LanguageModel.class, name = "LanguageModel")
})
public sealed interface RandomLayer {
    record Linear(long in, long out, boolean bias) implements RandomLayer {}

    record Conv2d(long in, long out, long kernel, long stride, long padding, long dilation, long groups, boolean bias)
            implements RandomLayer {}

    /** @param extra the output padding */
    record ConvTranspose2d(
            long in, long out, long kernel, long stride, long padding, long extra, long groups, boolean bias)
            implements RandomLayer {}

    record BatchNorm2d(long channels) implements RandomLayer {}

    record GroupNorm(long groups, long channels) implements RandomLayer {}

    record LayerNorm(long width) implements RandomLayer {}

    record Activate(Activation function, boolean inPlace) implements RandomLayer {}

    record Dropout(double p) implements RandomLayer {}

    record MaxPool2d(long kernel, long stride, long padding) implements RandomLayer {}

    record AvgPool2d(long kernel, long stride, long padding) implements RandomLayer {}

    record AdaptiveAvgPool2d(long height, long width) implements RandomLayer {}

    record Upsample(long factor, boolean bilinear) implements RandomLayer {}

    /** Over the last dimension. */
    record Softmax() implements RandomLayer {}

    record Flatten() implements RandomLayer {}

    /** An image as a sequence of pixels: {@code x.flatten(2).transpose(1, 2)}. */
    record Tokens() implements RandomLayer {}

    /** The opposite: {@code x.transpose(1, 2).reshape(-1, channels, height, width)}. */
    record Image(long channels, long height, long width) implements RandomLayer {}

    /** {@code x.mean(1)}. */
    record Mean() implements RandomLayer {}

    /** {@code x.select(1, index)}. */
    record Select(long index) implements RandomLayer {}

    /** {@code x[:, :length]}. */
    record Crop(long length) implements RandomLayer {}

    /** {@code x.unsqueeze(1).expand(-1, copies, -1)}. */
    record Spread(long copies) implements RandomLayer {}

    /** {@code a, b = x.chunk(2, -1)}, then {@code a * torch.sigmoid(b)}. */
    record Halves() implements RandomLayer {}

    /** {@code x * torch.sigmoid(body(x))}. */
    record Gate(RandomLayer body) implements RandomLayer {}

    /** {@code nn.Sequential}. */
    record Chain(List<RandomLayer> layers) implements RandomLayer {}

    /** The same module so many times in a row, with one set of parameters. */
    record Repeat(RandomLayer body, int times) implements RandomLayer {}

    /**
     * {@code end(shortcut(x) + body(x))}; without shortcut or end ({@code null}) that is left out.
     *
     * @param inPlace the sum is written into the body's result
     */
    record Residual(
            RandomLayer body,
            @Nullable RandomLayer shortcut,
            @Nullable RandomLayer end,
            boolean inPlace) implements RandomLayer {}

    /**
     * Several modules on one input.
     *
     * @param dim along which their results are joined, or {@code null}: they are added
     */
    record Branches(@Nullable Integer dim, List<RandomLayer> branches) implements RandomLayer {}

    /**
     * Self-attention over {@code [batch, length, width]} with a projection before and after it.
     *
     * @param fused {@code F.scaled_dot_product_attention}, else two products with softmax and dropout in between
     * @param packed one projection for queries, keys and values
     * @param causal only of the fused one
     */
    record Attention(long length, long width, long heads, boolean fused, boolean packed, boolean causal, double dropout)
            implements RandomLayer {}

    /**
     * {@code nn.GRUCell} over the positions of {@code [batch, length, in]}; its state begins as {@code tanh} of a
     * linear layer of the first one. Stacks the states, or returns the last.
     */
    record Recurrent(long in, long hidden, long length, boolean stacked) implements RandomLayer {}

    /**
     * {@code head(body(embedding(ids) + position))}.
     *
     * @param tied the head uses the embedding's weight
     * @param loss the model is given labels, too, and returns its cross-entropy instead of the scores
     */
    record LanguageModel(long vocabulary, long length, long width, RandomLayer body, boolean tied, boolean loss)
            implements RandomLayer {}
}
