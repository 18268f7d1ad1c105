package dev.headroom.estimator.op.elementwise;

import dev.headroom.estimator.op.core.Binary;
import dev.headroom.estimator.op.core.Binary.Term;
import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;

/** Operators that models rarely have, one line each. */
public final class RemainingRules {
    /** Random numbers and constants in the form of a tensor; where a gradient is asked for, it is zeros. */
    private static final String LIKE_SELF =
            "cauchy exponential geometric log_normal normal_functional random uniform" + " poisson zero fill";

    private RemainingRules() {}

    public static void register(Registry r) {
        for (String name : LIKE_SELF.split(" ")) {
            r.single("aten." + name, c -> likeSelf(c, name));
        }
        Term none = Binary.NONE;
        Term gamma = new Term("so", (f, g, s, o, y) -> {
            Tensor logarithm = f.op(f.op(s), f.op(o)); // (self - 1) * other.log()
            return f.op(g, f.op(f.op(f.op(logarithm, o), f.op(s))));
        });
        for (String name : new String[] {"igamma", "igammac", "special_gammainc", "special_gammaincc"}) {
            binary(r, name, new Binary("IgammaBackward0", none, gamma));
        }
        Term zeta = new Term("so", (f, g, s, o, y) -> f.op(g, f.op(f.op(s), f.op(f.op(s), o))));
        binary(r, "special_zeta", new Binary("SpecialZetaBackward0", none, zeta));
        r.add("aten.frexp.Tensor", Exponents::split);
        r.single("aten.isclose", RemainingRules::close);
        r.single("aten.isreal", c -> new Formula(c.runtime()).test(c.tensor("self")));
        r.single("aten.lift", c -> c.tensor("self"));
        r.single("aten.lift_fresh", c -> c.tensor("self"));
        r.alias("aten.norm.ScalarOpt_dim_dtype", "aten.norm.ScalarOpt_dim");
        r.alias("aten.norm.ScalarOpt_dtype", "aten.norm.Scalar");
        r.alias("aten.frobenius_norm", "aten.norm.ScalarOpt_dim");
        r.alias("aten.special_softmax", "aten.softmax");
        r.alias("aten.special_log_softmax", "aten.log_softmax");
    }

    private static Tensor likeSelf(Call c, String name) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Recorder r = rt.record(Character.toUpperCase(name.charAt(0)) + name.substring(1) + "Backward0", x);
        return r.gradient(0, g -> rt.emptyLike(g)).again().output(rt.emptyLike(x));
    }

    private static void binary(Registry r, String name, Binary rule) {
        r.single("aten." + name, c -> {
            Tensor a = c.tensor("self");
            Tensor b = c.tensor("other");
            return rule.apply(c.runtime(), a, b, Strided.floating(Strided.promote(a, b)), false);
        });
    }

    /** ATen/native/TensorCompare.cpp: {@code self == other}, then what lies near it. */
    private static Tensor close(Call c) {
        Formula f = new Formula(c.runtime());
        Tensor a = c.tensor("self");
        Tensor b = c.tensor("other");
        Tensor equal = f.test(a, b);
        Tensor allowed = f.op(f.op(b));
        Tensor error = f.op(f.op(a, b));
        f.test(error, allowed);
        return equal;
    }
}
