package dev.headroom.validation.generate;

import static dev.headroom.build.Layers.activation;
import static dev.headroom.build.Layers.adaptiveAvgPool2d;
import static dev.headroom.build.Layers.avgPool2d;
import static dev.headroom.build.Layers.batchNorm2d;
import static dev.headroom.build.Layers.conv2d;
import static dev.headroom.build.Layers.convTranspose2d;
import static dev.headroom.build.Layers.dropout;
import static dev.headroom.build.Layers.flatten;
import static dev.headroom.build.Layers.groupNorm;
import static dev.headroom.build.Layers.layerNorm;
import static dev.headroom.build.Layers.linear;
import static dev.headroom.build.Layers.maxPool2d;
import static dev.headroom.build.Layers.softmax;
import static dev.headroom.build.Layers.upsampleBilinear;
import static dev.headroom.build.Layers.upsampleNearest;

import dev.headroom.build.Module;
import dev.headroom.build.Residual;
import dev.headroom.build.Sequential;
import java.util.Arrays;
import java.util.List;

/** Builds the module that a {@link Layer} describes. */
final class Modules {
    private Modules() {}

    static Module of(Layer layer) {
        Module plain = plain(layer);
        if (plain != null) {
            return plain;
        }
        Module view = Reshaping.of(layer);
        return view != null ? view : composed(layer);
    }

    static Module[] all(List<Layer> layers) {
        return layers.stream().map(Modules::of).toArray(Module[]::new);
    }

    private static Module orNull(Layer layer) {
        return layer == null ? null : of(layer);
    }

    private static Module plain(Layer layer) {
        if (layer instanceof Layer.Linear l) {
            return linear(l.in(), l.out(), l.bias());
        }
        if (layer instanceof Layer.Conv2d c) {
            return conv2d(c.in(), c.out(), c.kernel(), c.stride(), c.padding(), c.dilation(), c.groups(), c.bias());
        }
        if (layer instanceof Layer.ConvTranspose2d c) {
            return convTranspose2d(
                    c.in(), c.out(), c.kernel(), c.stride(), c.padding(), c.extra(), c.groups(), c.bias());
        }
        if (layer instanceof Layer.BatchNorm2d b) {
            return batchNorm2d(b.channels());
        }
        if (layer instanceof Layer.GroupNorm g) {
            return groupNorm(g.groups(), g.channels());
        }
        if (layer instanceof Layer.LayerNorm n) {
            return layerNorm(n.width());
        }
        if (layer instanceof Layer.Activate a) {
            return activation(a.function().type(), a.function().operator() + (a.inPlace() ? "_" : ""));
        }
        if (layer instanceof Layer.Dropout d) {
            return dropout(d.p());
        }
        if (layer instanceof Layer.Softmax) {
            return softmax(-1);
        }
        return resized(layer);
    }

    private static Module resized(Layer layer) {
        if (layer instanceof Layer.MaxPool2d p) {
            return maxPool2d(p.kernel(), p.stride(), p.padding());
        }
        if (layer instanceof Layer.AvgPool2d p) {
            return avgPool2d(p.kernel(), p.stride(), p.padding());
        }
        if (layer instanceof Layer.AdaptiveAvgPool2d p) {
            return adaptiveAvgPool2d(p.height(), p.width());
        }
        if (layer instanceof Layer.Upsample u) {
            return u.bilinear() ? upsampleBilinear(u.factor()) : upsampleNearest(u.factor());
        }
        return layer instanceof Layer.Flatten ? flatten() : null;
    }

    private static Module composed(Layer layer) {
        if (layer instanceof Layer.Chain c) {
            return Sequential.of(all(c.layers()));
        }
        if (layer instanceof Layer.Repeat r) {
            Module[] same = new Module[r.times()];
            Arrays.fill(same, of(r.body()));
            return Sequential.of(same);
        }
        if (layer instanceof Layer.Residual r) {
            return Residual.of(of(r.body()), orNull(r.shortcut()), orNull(r.end()), r.inPlace());
        }
        if (layer instanceof Layer.Branches b) {
            return new Parallel(b.dim(), all(b.branches()));
        }
        if (layer instanceof Layer.Gate g) {
            return new Gated(of(g.body()));
        }
        if (layer instanceof Layer.Attention a) {
            return new SelfAttention(a);
        }
        if (layer instanceof Layer.Recurrent r) {
            return new Unrolled(r);
        }
        return new TokenModel((Layer.LanguageModel) layer);
    }
}
