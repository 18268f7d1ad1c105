package dev.headroom.estimator.optim;

import dev.headroom.model.scenario.Scenario;

/** Which of an optimizer's implementations runs. */
enum Implementation {
    /** One parameter after the other ({@code _single_tensor_*}). */
    FOR_LOOP,
    /** Lists of tensors ({@code _multi_tensor_*}). */
    FOREACH,
    /** One kernel for the whole step ({@code _fused_*}). */
    FUSED;

    /** The choice of torch/optim/optimizer.py, _default_to_fused_or_foreach, and of the functions that call it. */
    static Implementation of(Scenario run) {
        if (run.optimizer().fused()) {
            return FUSED;
        }
        boolean lists =
                switch (run.optimizer().foreach()) {
                    case TRUE -> true;
                    case FALSE -> false;
                    case AUTO ->
                        run.optimizer().kind().foreachByDefault() && run.torch().foreachByDefault();
                };
        return lists ? FOREACH : FOR_LOOP;
    }
}
