package dev.headroom.estimator.op.rule;

import java.util.NavigableSet;

/** Other names of operators that have rules (native_functions.yaml: "alias for"). Registered after all families. */
public final class AliasRules {
    private static final String PAIRS = """
            absolute=abs arccos=acos arccosh=acosh arcsin=asin arcsinh=asinh arctan=atan arctanh=atanh negative=neg
            greater=gt greater_equal=ge less=lt less_equal=le not_equal=ne special_digamma=digamma special_psi=digamma
            special_erf=erf special_erfc=erfc special_erfinv=erfinv special_exp2=exp2 special_expit=sigmoid
            special_expm1=expm1 special_gammaln=lgamma special_i0=i0 special_log1p=log1p special_logit=logit
            special_logsumexp=logsumexp special_round=round special_sinc=sinc special_xlogy=xlogy
            unsafe_chunk=chunk unsafe_split=split unsafe_split_with_sizes=split_with_sizes
            absolute_=abs_ arccos_=acos_ arccosh_=acosh_ arcsin_=asin_ arcsinh_=asinh_ arctan_=atan_ arctanh_=atanh_
            greater_=gt_ greater_equal_=ge_ less_=lt_ less_equal_=le_ not_equal_=ne_
            negative_=neg_ multiply_=mul_ divide_=div_ true_divide_=div_ subtract_=sub_
            t_=t transpose_=transpose swapaxes_=swapaxes swapdims_=swapdims squeeze_=squeeze
            """;

    private AliasRules() {}

    public static void register(Registry r) {
        NavigableSet<String> known = r.operators();
        for (String pair : PAIRS.strip().split("\\s+")) {
            int equals = pair.indexOf('=');
            String other = "aten." + pair.substring(0, equals);
            String name = "aten." + pair.substring(equals + 1);
            // The operator and its overloads, which a dot parts from it: a slash follows the dot.
            for (String operator : known.subSet(name, name + "/")) {
                String alias = other + operator.substring(name.length());
                if (!known.contains(alias)) {
                    r.alias(alias, operator);
                }
            }
        }
    }
}
