package dev.headroom.validation.generate;

import static dev.headroom.model.dsl.Layers.activation;
import static dev.headroom.model.dsl.Layers.adaptiveAvgPool2d;
import static dev.headroom.model.dsl.Layers.avgPool2d;
import static dev.headroom.model.dsl.Layers.batchNorm2d;
import static dev.headroom.model.dsl.Layers.conv2d;
import static dev.headroom.model.dsl.Layers.convTranspose2d;
import static dev.headroom.model.dsl.Layers.dropout;
import static dev.headroom.model.dsl.Layers.flatten;
import static dev.headroom.model.dsl.Layers.groupNorm;
import static dev.headroom.model.dsl.Layers.layerNorm;
import static dev.headroom.model.dsl.Layers.linear;
import static dev.headroom.model.dsl.Layers.maxPool2d;
import static dev.headroom.model.dsl.Layers.softmax;
import static dev.headroom.model.dsl.Layers.upsampleBilinear;
import static dev.headroom.model.dsl.Layers.upsampleNearest;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Residual;
import dev.headroom.model.dsl.Sequential;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds the module that a {@link RandomLayer} describes. */
final class Modules {
    private Modules() {}

    static Layer of(RandomLayer layer) {
        Layer plain = plain(layer);
        if (plain != null) {
            return plain;
        }
        Layer view = Reshaping.of(layer);
        return view != null ? view : composed(layer);
    }

    static Layer[] all(List<RandomLayer> layers) {
        return layers.stream().map(Modules::of).toArray(Layer[]::new);
    }

    private static @Nullable Layer orNull(@Nullable RandomLayer layer) {
        return layer == null ? null : of(layer);
    }

    private static @Nullable Layer plain(RandomLayer layer) {
        if (layer instanceof RandomLayer.Linear l) {
            return linear(l.in(), l.out(), l.bias());
        }
        if (layer instanceof RandomLayer.Conv2d c) {
            return conv2d(c.in(), c.out(), c.kernel(), c.stride(), c.padding(), c.dilation(), c.groups(), c.bias());
        }
        if (layer instanceof RandomLayer.ConvTranspose2d c) {
            return convTranspose2d(
                    c.in(), c.out(), c.kernel(), c.stride(), c.padding(), c.extra(), c.groups(), c.bias());
        }
        if (layer instanceof RandomLayer.BatchNorm2d b) {
            return batchNorm2d(b.channels());
        }
        if (layer instanceof RandomLayer.GroupNorm g) {
            return groupNorm(g.groups(), g.channels());
        }
        if (layer instanceof RandomLayer.LayerNorm n) {
            return layerNorm(n.width());
        }
        if (layer instanceof RandomLayer.Activate a) {
            return activation(a.function().type(), a.function().operator() + (a.inPlace() ? "_" : ""));
        }
        if (layer instanceof RandomLayer.Dropout d) {
            return dropout(d.p());
        }
        if (layer instanceof RandomLayer.Softmax) {
            return softmax(-1);
        }
        return resized(layer);
    }

    private static @Nullable Layer resized(RandomLayer layer) {
        if (layer instanceof RandomLayer.MaxPool2d p) {
            return maxPool2d(p.kernel(), p.stride(), p.padding());
        }
        if (layer instanceof RandomLayer.AvgPool2d p) {
            return avgPool2d(p.kernel(), p.stride(), p.padding());
        }
        if (layer instanceof RandomLayer.AdaptiveAvgPool2d p) {
            return adaptiveAvgPool2d(p.height(), p.width());
        }
        if (layer instanceof RandomLayer.Upsample u) {
            return u.bilinear() ? upsampleBilinear((double) u.factor()) : upsampleNearest((double) u.factor());
        }
        return layer instanceof RandomLayer.Flatten ? flatten() : null;
    }

    private static Layer composed(RandomLayer layer) {
        if (layer instanceof RandomLayer.Chain c) {
            return Sequential.of(all(c.layers()));
        }
        if (layer instanceof RandomLayer.Repeat r) {
            Layer[] same = new Layer[r.times()];
            Arrays.fill(same, of(r.body()));
            return Sequential.of(same);
        }
        if (layer instanceof RandomLayer.Residual r) {
            return Residual.of(of(r.body()), orNull(r.shortcut()), orNull(r.end()), r.inPlace());
        }
        if (layer instanceof RandomLayer.Branches b) {
            return new Parallel(b.dim(), all(b.branches()));
        }
        if (layer instanceof RandomLayer.Gate g) {
            return new Gated(of(g.body()));
        }
        if (layer instanceof RandomLayer.Attention a) {
            return new SelfAttention(a);
        }
        if (layer instanceof RandomLayer.Recurrent r) {
            return new Unrolled(r);
        }
        return new TokenModel((RandomLayer.LanguageModel) layer);
    }
}
